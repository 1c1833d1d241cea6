import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrpPlan, parsePrp } from './parse-prp.js';

const ROOT = fileURLToPath(new URL('../../../test/fixtures/prp', import.meta.url));
const open = (text: string) => ({ text, isDone: false });
const closed = (text: string) => ({ text, isDone: true });

const PLANS: Readonly<Record<string, PrpPlan>> = {
  'template.md': {
    title: 'Login with passkeys',
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
    criteria: [open('every page is indexed'), open('answers in 50 ms')],
    phases: ['Index', 'Query', 'Ranking'],
    validationCommands: [],
  },
  'phases-list.md': {
    title: 'Billing',
    criteria: [open('invoices are numbered'), open('no gaps')],
    phases: ['Models', 'Numbers', 'PDFs'],
    validationCommands: ['make check'],
  },
  'windows.md': {
    title: 'Café menu',
    criteria: [open('Près'), closed('loin')],
    phases: [],
    validationCommands: ['go test ./...'],
  },
  'bare.md': { title: null, criteria: [], phases: [], validationCommands: [] },
  'comments.md': {
    title: 'Cleanup',
    criteria: [open('only boxes count when there are boxes')],
    phases: [],
    validationCommands: [],
  },
};

describe('a PRP document', () => {
  it.each(Object.entries(PLANS))('%s is read as it was meant', (file, plan) => {
    expect(parsePrp(readFileSync(`${ROOT}/${file}`, 'utf8'))).toEqual(plan);
  });

  it('every shape has its plan here', () => {
    expect(readdirSync(ROOT).sort()).toEqual(Object.keys(PLANS).sort());
  });

  it('of any text gives a plan', () => {
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
