import { counted } from '../../foundation/text/counted.js';
import { costWords } from '../../foundation/text/dollars.js';
import { sparkline } from '../../foundation/text/sparkline.js';
import type { RunReport } from '../../run/index.js';
import { figuresOf } from './figures.js';
import { markOf, nameOf } from './iteration-parts.js';
import { onTheWay } from './on-the-way.js';
import { outcomeOf } from './outcome.js';
import { STATUS } from './sections.js';
import { storyOf } from './story.js';
import { line, momentOf, numberOf, placeOf, spanOf } from './words.js';

/**
 * A report as Markdown, fit for a pull request comment. Text from outside is set as code: there it cannot become a heading,
 * link, mention or reference, nor end its line or table cell.
 */
export function reportMarkdown(report: RunReport): string {
  const { sign, word, why } = outcomeOf(report);
  const parts = [
    `## ${sign} ${word}: ${code(report.plan, 120)}`,
    ...(why === null ? [] : [code(why, 400)]),
    onTheWay(report, code) ?? '',
    factsOf(report),
    gapsOf(report),
    phasesOf(report),
    fold('Iterations', iterationsOf(report)),
    listed('Questions', questionsOf(report)),
    listed('Permissions', permissionsOf(report)),
    fold('What happened', storyLines(report)),
    fold(`Files (${report.files?.length ?? 0})`, filesOf(report)),
    listed('Errors', errorsOf(report)),
    goOn(report),
    `Run \`${report.sessionId}\`, ${momentOf(report.madeAt)}. Times are UTC.`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Foreign text as one line of code that nothing in it can end. Bars are replaced because they would end a table cell. */
export function code(text: string, maxLength = 160): string {
  const shown = line(text, maxLength).replaceAll('|', '¦');
  if (/^[A-Za-z-]{1,40}$/.test(shown)) return shown;
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const space = shown === '' || /^`|`$|^ .* $/.test(shown) ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

const CURVE = 60;

function factsOf(report: RunReport): string {
  const { project, agent, startedAt, worktree, tests } = report;
  const rows = [
    ...figuresOf(report).map(({ name, value, note }) => [name, note === null ? value : `${value} (${note})`]),
    ...(agent === null ? [] : [['Agent', code(agent, 60)]]),
    ...(project.path === '' ? [] : [['Project', code(project.path.split('/').at(-1) ?? '', 80)]]),
    ['Started', momentOf(startedAt)],
    ...(worktree === null
      ? []
      : [['Branch', `${code(worktree.branch, 120)} from \`${worktree.base.commit.slice(0, 12)}\``]]),
    ...(tests.length < 2
      ? []
      : [
          [
            'Tests over time',
            sparkline(
              tests.map(({ passing }) => passing),
              Math.max(...tests.map(({ total }) => total)),
              CURVE,
            ),
          ],
        ]),
  ];
  return ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

function gapsOf({ gaps }: RunReport): string {
  return gaps.length === 0
    ? ''
    : gaps.map(({ kind, words }) => `> ${kind === 'loop-damaged' ? code(words, 400) : words}`).join('\n>\n');
}

function phasesOf({ phases }: RunReport): string {
  if (phases.length === 0) return '';
  return [
    '| Phase | Iterations | Ended | Tokens | Cost | Files |',
    '| --- | ---: | --- | ---: | ---: | ---: |',
    ...phases.map((phase) => {
      const end = phase.completedAt === null ? 'not yet' : exitOf(phase.exitReason);
      return `| ${code(phase.name, 60)} | ${phase.iterations} | ${end} | ${numberOf(phase.tokens)} | ${costWords(phase)} | ${phase.filesChanged} |`;
    }),
  ].join('\n');
}

/** `done` means that both gates were open. */
function exitOf(reason: string | null): string {
  return reason === null || reason === 'Dual-Gate satisfied' ? 'done' : code(reason, 120);
}

/** A pull request comment can hold 65,536 characters. */
const MOST = { iterations: 80, questions: 30, permissions: 40, story: 80, files: 80, errors: 10 } as const;

function iterationsOf({ iterations }: RunReport): string[] {
  const shown = iterations.slice(-MOST.iterations);
  const rows = shown.map((one) => {
    const { testsAfter, files, used, activeMs, durationMs, verdict } = one;
    const tests = testsAfter === null ? '' : `${testsAfter.passing}/${testsAfter.total}`;
    const changed = files === null ? '' : `${files.created + files.modified + files.deleted}`;
    const cost = used === null ? 'unknown' : costWords(used);
    return `| ${markOf(one).sign} ${nameOf(one, iterations, code)} | ${tests} | ${changed} | ${cost} | ${spanOf(activeMs ?? durationMs)} | ${code(verdict, 160)} |`;
  });
  if (rows.length === 0) return [];
  const left = iterations.length - shown.length;
  return [
    ...(left > 0 ? [`The first ${left} are left out.`, ''] : []),
    '| Iteration | Tests | Files | Cost | Time | |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...rows,
  ];
}

function questionsOf({ questions }: RunReport): string[] {
  const asked = questions.filter(({ isPermission }) => !isPermission);
  return atMost(
    asked.map(({ title, prompts, answer, status, answeredBy, askedAt, answeredAt }) => {
      const after =
        answeredAt === null ? '' : ` after ${spanOf(Date.parse(answeredAt) - Date.parse(askedAt))}`;
      const by = answeredBy === null ? '' : `, ${placeOf(answeredBy, code)}`;
      const said = answer === null ? '' : `: ${code(answer, 300)}`;
      return `- ${code(title, 80)}: ${code(prompts.join(' / '), 300)}\n  - ${STATUS[status] ?? code(status, 40)}${after}${by}${said}`;
    }),
    MOST.questions,
  );
}

function permissionsOf({ permissions }: RunReport): string[] {
  return atMost(
    permissions.map(({ what, tool, decision, by, count, message }) => {
      const times = count === 1 ? '' : `, ${count} times`;
      const words = message === null ? '' : `: ${code(message, 200)}`;
      return `- ${decision}${times}: ${code(what, 200)} (${code(tool, 40)}), by ${code(by, 120)}${words}`;
    }),
    MOST.permissions,
  );
}

function storyLines(report: RunReport): string[] {
  return atMost(
    storyOf(report).map(({ at, sign, words }) => `- ${momentOf(at)} ${sign} ${code(words, 200)}`),
    MOST.story,
  );
}

function filesOf({ files }: RunReport): string[] {
  return atMost(
    (files ?? []).map(({ path, added, deleted, wasUncommitted }) => {
      const numbers = added === null ? '' : ` +${added} −${deleted ?? 0}`;
      return `- ${code(path, 200)}${numbers}${wasUncommitted ? ' (had uncommitted changes before the run)' : ''}`;
    }),
    MOST.files,
  );
}

function errorsOf({ errors }: RunReport): string[] {
  return errors
    .slice(-MOST.errors)
    .map(({ at, phase, error }) => `- ${momentOf(at)} ${code(phase, 60)}: ${code(error, 300)}`);
}

function goOn({ commands, worktree }: RunReport): string {
  const typed = [...commands, ...(worktree?.commands.merge ?? []), ...(worktree?.commands.discard ?? [])];
  return typed.length === 0
    ? ''
    : ['### How to continue', '', ...typed.map((one) => `- ${code(one, 500)}`)].join('\n');
}

function atMost(items: readonly string[], most: number): string[] {
  const left = items.length - most;
  return left > 0 ? [...items.slice(0, most), `- and ${counted(left, 'more', 'more')}`] : [...items];
}

function listed(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [`### ${title}`, '', ...items].join('\n');
}

/** Folded, if the viewer supports folding. */
function fold(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return ['<details>', `<summary>${title}</summary>`, '', ...items, '', '</details>'].join('\n');
}
