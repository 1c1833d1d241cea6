import { counted } from '../../foundation/text/counted.js';
import { costWords } from '../../foundation/text/dollars.js';
import type { RunReport } from '../../run/index.js';
import { block, type Child, type Element, element } from './markup.js';
import { section } from './sections.js';
import { lastLines, line, momentOf, numberOf, spanOf } from './words.js';

type Iteration = RunReport['iterations'][number];

/** This many of the first and of the last iterations are shown in full. */
const FIRST = 40;
const LAST = 120;

export function iterationsPart(report: RunReport): Child {
  const { iterations } = report;
  if (iterations.length === 0) return null;
  const isLong = iterations.length > FIRST + LAST;
  const [first, last] = isLong ? [iterations.slice(0, FIRST), iterations.slice(-LAST)] : [iterations, []];
  const titleOf = (id: string) => report.questions.find((one) => one.id === id)?.title ?? id.slice(0, 8);
  const left = iterations.length - first.length - last.length;
  return section(
    'iterations',
    'Iterations',
    first.map((one) => iterationElement(one, nameOf(one, iterations), titleOf)),
    left > 0
      ? block('p', 'soft', `${left} iterations are left out here; holdfast report --json has them.`)
      : null,
    last.map((one) => iterationElement(one, nameOf(one, iterations), titleOf)),
  );
}

/** How the iteration ended, at a glance. */
export function markOf({ end, isGateOpen, saysDone, error }: Iteration): {
  readonly sign: string;
  readonly words: keyof typeof LOOKS;
} {
  if (end === 'lost' || end === 'cut') return { sign: '×', words: 'cut short' };
  if (end === 'open') return { sign: '●', words: 'open' };
  if (isGateOpen && saysDone) return { sign: '✓', words: 'done' };
  return error === null ? { sign: '○', words: 'not done' } : { sign: '!', words: 'error' };
}

const LOOKS = {
  done: 'passed',
  'not done': 'not-done',
  'cut short': 'cut-short',
  open: 'open',
  error: 'error',
} as const;

/** The name of an iteration; a second try of the same one is marked as such. */
export function nameOf(one: Iteration, all: readonly Iteration[], encoded = line): string {
  const isSame = (other: Iteration) =>
    other.phase === one.phase && other.story === one.story && other.iteration === one.iteration;
  const isAgain = all.findIndex(isSame) < all.indexOf(one);
  return `${encoded(one.story ?? one.phase, 40)} ${one.iteration}${isAgain ? ' again' : ''}`;
}

function iterationElement(one: Iteration, name: string, titleOf: (id: string) => string): Element {
  const { sign, words } = markOf(one);
  const { testsAfter, used, activeMs, durationMs, verdict } = one;
  const facts = [
    testsAfter === null ? null : `${testsAfter.passing}/${testsAfter.total} tests`,
    filesInShort(one),
    used === null ? null : costInShort(used),
    spanOf(activeMs ?? durationMs),
  ].filter((fact) => fact !== null);
  return element(
    'details',
    { class: `iteration ${LOOKS[words]}` },
    element(
      'summary',
      {},
      element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
      block('span', 'name', name),
      block('span', 'verdict', line(verdict, 200)),
      block('span', 'short', facts.join(' · ')),
    ),
    element(
      'dl',
      { class: 'facts' },
      factsOf(one, titleOf).map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, value)),
      ),
    ),
    one.said === ''
      ? null
      : [element('h3', {}, 'The last thing the agent said'), block('p', 'quoted', lastLines(one.said, 500))],
  );
}

function costInShort(used: NonNullable<Iteration['used']>): string {
  const words = costWords(used);
  return words === 'unknown' ? 'cost unknown' : words;
}

function filesInShort({ files }: Iteration): string | null {
  if (files === null) return null;
  return counted(files.created + files.modified + files.deleted, 'file');
}

type Fact = [name: string, value: Child];

function factsOf(one: Iteration, titleOf: (id: string) => string): Fact[] {
  const { title, startedAt, endedAt, prompt, used, questions, denials, error, breaker, toolCalls } = one;
  const code = (text: string) => element('code', {}, text);
  const listOf = (items: readonly Child[]) =>
    element(
      'ul',
      {},
      items.map((item) => element('li', {}, item)),
    );
  const facts: (Fact | null)[] = [
    ['Works on', line(title, 120)],
    ['From', `${momentOf(startedAt)}${endedAt === null ? '' : ` to ${momentOf(endedAt)}`}`],
    ['Time', timeWords(one)],
    prompt === null
      ? null
      : [
          'Prompt',
          [
            `turn ${prompt.turns.join(', ')}, ${numberOf(prompt.characters)} characters, `,
            code(`sha256:${prompt.digest}`),
          ],
        ],
    [
      'Agent',
      `${counted(toolCalls, 'tool call')}${used === null ? '' : `, ${numberOf(used.tokens)} tokens, ${costWords(used)}`}`,
    ],
    ['Checks before', testWords(one.testsBefore)],
    one.checks.length === 0
      ? null
      : [
          'Checks after',
          listOf(
            one.checks.map(({ command, tests, exitCode, durationMs }) => [
              code(line(command, 160)),
              `: ${tests === null ? `exit code ${exitCode ?? 'unknown'}` : testWords(tests)}, ${spanOf(durationMs)}`,
            ]),
          ),
        ],
    fileFact(one),
    breaker === null || breaker === 'CLOSED' ? null : ['Breaker', breaker === 'OPEN' ? 'open' : 'half open'],
    questions.length === 0 ? null : ['Asked', listOf(questions.map((id) => line(titleOf(id), 120)))],
    denials.length === 0
      ? null
      : ['Denied', listOf(denials.slice(0, 20).map((denial) => code(line(denial, 200))))],
    error === null ? null : ['Error', code(line(error, 400))],
  ];
  return facts.filter((fact) => fact !== null);
}

function timeWords({ durationMs, activeMs, waitedMs }: Iteration): string {
  if (durationMs === null) return 'not over';
  if (activeMs === null) return spanOf(durationMs);
  const waited = waitedMs !== null && waitedMs >= 1_000 ? `, ${spanOf(waitedMs)} waited` : '';
  return `${spanOf(activeMs)} worked${waited}`;
}

function testWords(tests: Iteration['testsBefore']): string {
  return tests === null
    ? 'no numbers'
    : `${tests.passing} of ${tests.total} tests pass, ${tests.failing} fail`;
}

function fileFact({ files, changed, filesLeft }: Iteration): Fact | null {
  if (files === null) return null;
  const names = [
    ...(changed?.created ?? []).map((path) => ['+', path] as const),
    ...(changed?.modified ?? []).map((path) => ['~', path] as const),
    ...(changed?.deleted ?? []).map((path) => ['−', path] as const),
  ];
  const counts = `${files.created} created, ${files.modified} modified, ${files.deleted} deleted`;
  const left = filesLeft === 0 ? '' : `; ${filesLeft} more from the try that was cut short`;
  const shown = names.slice(0, MAX_NAMES);
  const more = names.length - shown.length;
  return [
    'Files',
    [
      `${counts}${left}`,
      shown.length === 0
        ? null
        : element(
            'ul',
            {},
            shown.map(([sign, path]) => element('li', {}, element('code', {}, `${sign} ${line(path, 160)}`))),
            more > 0 ? element('li', {}, `and ${more} more`) : null,
          ),
    ],
  ];
}

const MAX_NAMES = 25;
