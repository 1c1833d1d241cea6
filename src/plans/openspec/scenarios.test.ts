import { describe, expect, it } from 'vitest';
import { groupSteps, readScenarios } from './scenarios.js';

const SPEC = `# auth
## ADDED Requirements

### Requirement: Login
The system SHALL let people in.

#### Scenario: Right password
- **GIVEN** an account
- **AND** its password
- **WHEN** the person logs in
- **WHEN** they wait
- **THEN** they are in
  and stay in
* AND a session is kept

#### Scenario: No steps
Just text.

### Requirement: Logout
#### Scenario: Button
- **WHEN**: the button is pressed
- **THEN**: they are out
- **BUT** the draft stays

## REMOVED Requirements
### Requirement: Old
#### Scenario: Gone
- **THEN** nothing
`;

describe('scenarios', () => {
  it('have all their steps, including those on several lines', () => {
    const [first] = readScenarios(SPEC, 'auth');
    expect(first).toEqual({
      name: 'Right password',
      requirement: 'Login',
      capability: 'auth',
      operation: 'added',
      steps: [
        { keyword: 'GIVEN', text: 'an account' },
        { keyword: 'AND', text: 'its password' },
        { keyword: 'WHEN', text: 'the person logs in' },
        { keyword: 'WHEN', text: 'they wait' },
        { keyword: 'THEN', text: 'they are in\nand stay in' },
        { keyword: 'AND', text: 'a session is kept' },
      ],
    });
  });

  it('belong to their requirement and to what the change does to it', () => {
    const found = readScenarios(SPEC, 'auth').map(({ name, requirement, operation }) => [
      name,
      requirement,
      operation,
    ]);
    expect(found).toEqual([
      ['Right password', 'Login', 'added'],
      ['No steps', 'Login', 'added'],
      ['Button', 'Logout', 'added'],
      ['Gone', 'Old', 'removed'],
    ]);
  });

  it('are grouped so that AND and BUT continue the step before, and no WHEN is lost', () => {
    const [first, , third] = readScenarios(SPEC, 'auth');
    expect(groupSteps(first?.steps ?? [])).toEqual({
      given: ['an account', 'its password'],
      when: 'the person logs in\nthey wait',
      // biome-ignore lint/suspicious/noThenProperty: the published name of the key
      then: ['they are in\nand stay in', 'a session is kept'],
    });
    expect(groupSteps(third?.steps ?? [])).toMatchObject({
      when: 'the button is pressed',
      // biome-ignore lint/suspicious/noThenProperty: the published name of the key
      then: ['they are out', 'the draft stays'],
    });
  });
});
