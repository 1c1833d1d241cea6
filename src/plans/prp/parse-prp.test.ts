import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrpPlan, parsePrp, prpSections } from './parse-prp.js';

const ROOT = fileURLToPath(new URL('../../../test/fixtures/prp', import.meta.url));
const open = (text: string) => ({ text, isDone: false });
const closed = (text: string) => ({ text, isDone: true });

const PLANS: Readonly<Record<string, PrpPlan>> = {
  'template.md': {
    title: 'Login with passkeys',
    preset: null,
    criteria: [
      open('A registered person can log in'),
      closed('A wrong password is refused'),
      open('Three failures lock the account'),
      open('and say so'),
    ],
    phases: [],
    validationCommands: ['npm run lint', 'npx tsc --noEmit', 'npm test -- --run'],
  },
  'front-matter.md': {
    title: 'Export to CSV',
    preset: null,
    criteria: [
      open('The file opens in a spreadsheet'),
      open('Commas are quoted'),
      open('Empty cells stay empty'),
    ],
    phases: [],
    validationCommands: ['pytest tests/export', 'ruff check .'],
  },
  'phases-headings.md': {
    title: 'Search',
    preset: null,
    criteria: [open('every page is indexed'), open('answers in 50 ms')],
    phases: ['Index', 'Query', 'Ranking'],
    validationCommands: [],
  },
  'phases-list.md': {
    title: 'Billing',
    preset: null,
    criteria: [open('invoices are numbered'), open('no gaps')],
    phases: ['Models', 'Numbers', 'PDFs'],
    validationCommands: ['make check'],
  },
  'windows.md': {
    title: 'Café menu',
    preset: null,
    criteria: [open('Près'), closed('loin')],
    phases: [],
    validationCommands: ['go test ./...'],
  },
  'bare.md': { title: null, preset: null, criteria: [], phases: [], validationCommands: [] },
  'comments.md': {
    title: 'Cleanup',
    preset: null,
    criteria: [open('only boxes count when there are boxes')],
    phases: [],
    validationCommands: [],
  },
};

describe('a PRP document', () => {
  it.each(Object.entries(PLANS))('%s is read as intended', (file, plan) => {
    expect(parsePrp(readFileSync(`${ROOT}/${file}`, 'utf8'))).toEqual(plan);
  });

  it.each([
    ['phases: work', 'work'],
    ['phases: "tdd-strict"', 'tdd-strict'],
    ['phases: work # no tests', 'work'],
    ['phases:\n  - one\n  - two', null],
    ['title: x', null],
  ])('with the front matter %j asks for the phases %j', (matter, preset) => {
    expect(parsePrp(`---\n${matter}\n---\n# T\n`).preset).toBe(preset);
  });

  it('has sections, each with a topic; what is below a section has the same topic', () => {
    const document = [
      '# PRP: T',
      'In short.',
      '## Goal',
      'g',
      '## All Needed Context',
      '### Documentation & References',
      'r',
      '### Success Criteria',
      '- c',
      '## Validation Loop',
      '```bash',
      '# no heading',
      '```',
      '### Level 1',
      'l',
      '## Zebras',
      'z',
    ].join('\n');
    expect(prpSections(document).map(({ heading, topic, text }) => [heading, topic, text])).toEqual([
      ['PRP: T', 'goal', 'In short.'],
      ['Goal', 'goal', 'g'],
      ['Documentation & References', 'context', 'r'],
      ['Success Criteria', 'criteria', '- c'],
      ['Validation Loop', 'validation', '```bash\n# no heading\n```'],
      ['Level 1', 'validation', 'l'],
      ['Zebras', 'other', 'z'],
    ]);
  });

  it('every shape has its plan here', () => {
    expect(readdirSync(ROOT).sort()).toEqual(Object.keys(PLANS).sort());
  });

  it('gives a plan from any text', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('# T', '### Success Criteria', '- [ ] a', '```bash', '```', '---', 'title: x'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const plan = parsePrp(lines.join('\n'));
        expect(plan.criteria.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });
});
