import { visibleExcerpt } from '../foundation/index.js';
import { FleetRuleError } from './errors.js';

/** The words of the schema's own rules (migrations/), for people. */
const RULES: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  'not-your-machine': [
    'This machine is not in the fleet under this role',
    'Join with it: `holdfast fleet join`.',
  ],
  'name-taken': [
    'Another machine of the fleet has this name',
    'Choose another one: `holdfast fleet join --name <name>`.',
  ],
  'no-such-machine': ['No machine of the fleet has this name', '`holdfast fleet status` lists them.'],
  'id-used': ['A different request has this id already', 'Nothing was stored. Try again.'],
  'home-gone': ['The machine that asks has left the fleet', 'Nobody waits for the answer there any more.'],
  'too-many': [
    'Too many requests wait for this machine',
    'Nothing was stored. Start Holdfast there, or remove it: `holdfast fleet remove-machine <name>`.',
  ],
  decided: ['Somebody else decided this first', 'See it with `holdfast questions show <id>`.'],
  'no-such-state': ['A request cannot be settled like that', 'Update Holdfast on this machine.'],
};

/** A rule of the schema that said no. */
export function ruleError(rule: string, detail: string): FleetRuleError {
  const [reason, hint] = RULES[rule] ?? [
    `The fleet says no: ${visibleExcerpt(rule, 80)}`,
    'Nothing was stored.',
  ];
  const named = rule === 'name-taken' || rule === 'no-such-machine' ? `: ${visibleExcerpt(detail, 80)}` : '';
  return new FleetRuleError(rule, `${reason}${named}`, hint);
}
