import { DAY_MS } from '../../foundation/clock.js';
import { visibleExcerpt } from '../../foundation/text/visible-text.js';
import type { OverviewRow, RowGroup } from '../../overview/index.js';
import { dollarsOf, roughDurationOf } from '../run-view/words.js';

/** A row in words, each a piece of visible text. The tests stay numbers: a surface draws them. */
export interface RowWords {
  /** Empty for this machine. */
  readonly machine: string;
  readonly project: string;
  readonly plan: string;
  readonly agent: string;
  readonly phase: string;
  readonly cost: string;
  readonly age: string;
  readonly why: string;
}

const MAX_WORDS = 200;

/** The contents of a row's columns. */
export function wordsOf(row: OverviewRow, labels: ReadonlyMap<string, string>, now: Date): RowWords {
  return {
    machine: visibleExcerpt(row.machine ?? '', 63),
    project: projectOf(row, labels),
    plan: visibleExcerpt(row.kind === 'run' ? runName(row) : row.title, 60),
    agent: visibleExcerpt(row.agent ?? '-', 40),
    phase: row.phase === null ? '-' : visibleExcerpt(row.phase, 32),
    cost: costOf(row),
    age: ageOf(row, now),
    why: [whyOf(row), ...remarksOf(row, now)].filter((part) => part !== '').join(' · '),
  };
}

function projectOf({ project, worktree }: OverviewRow, labels: ReadonlyMap<string, string>): string {
  if (worktree?.repositoryName !== undefined) return visibleExcerpt(worktree.repositoryName, 60);
  return project === null ? '-' : (labels.get(project) ?? '-');
}

/** What is waiting, in one line: the question's prompt, if there is one. */
function whyOf({ question, why, group }: OverviewRow): string {
  if (question === null) return visibleExcerpt(why ?? '', MAX_WORDS);
  const words = visibleExcerpt(question.prompt === '' ? question.title : question.prompt, MAX_WORDS);
  const more = question.more === 0 ? '' : ` (and ${question.more} more)`;
  const gone = group === 'asks' && why !== null ? ` (${visibleExcerpt(why, MAX_WORDS)})` : '';
  return `asks: ${words}${more}${gone}`;
}

/** What else to know about a row of another machine: it may look different there by now. */
function remarksOf({ onItsWay, asOf }: OverviewRow, now: Date): string[] {
  const way = onItsWay === undefined ? '' : `${visibleExcerpt(onItsWay.kind, 20)} is on its way`;
  const ms = asOf === undefined ? Number.NaN : now.getTime() - Date.parse(asOf);
  return [way, Number.isFinite(ms) ? `no sign for ${roughDurationOf(Math.max(0, ms))}` : ''];
}

/** `≈` marks a cost computed from a price list; `?` marks an unknown one. */
function costOf({ cost }: OverviewRow): string {
  if (cost === null) return '-';
  if (cost.source === 'unknown') return '?';
  return `${cost.source === 'priced' ? '≈' : ''}${dollarsOf(cost.usd)}`;
}

/** How long it has been in this state, in one word. */
function ageOf({ since }: OverviewRow, now: Date): string {
  const ms = now.getTime() - Date.parse(since);
  if (!Number.isFinite(ms)) return '-';
  return ms >= DAY_MS ? `${Math.floor(ms / DAY_MS)}d` : roughDurationOf(ms);
}

/** A run in its own worktree is named with it, since one plan can have several. A fleet's worktree is named by its id there. */
function runName({ title, worktree }: OverviewRow): string {
  const plan = planName(title);
  if (worktree === undefined || worktree.repositoryName !== undefined) return plan;
  return `${plan} in ${worktree.path.split('/').at(-1)}`;
}

/** The file name without its extension says what the plan is about. */
function planName(path: string): string {
  const name = path.split('/').filter(Boolean).at(-1) ?? path;
  return name.replace(/\.md$/, '');
}

/** A short name for each project of these rows; a project with a repository name needs none. */
export function labelsOf(rows: readonly OverviewRow[]): Map<string, string> {
  return projectLabels(
    rows.flatMap(({ project, worktree }) =>
      project === null || worktree?.repositoryName !== undefined ? [] : [project],
    ),
  );
}

/** A short name for each directory: its last part, and as much before it as is needed to tell it apart. Visible text. */
export function projectLabels(paths: Iterable<string>): Map<string, string> {
  const all = [...new Set(paths)].map((path) => ({ path, parts: path.split('/').filter(Boolean) }));
  const label = (parts: readonly string[], depth: number) => parts.slice(-depth).join('/') || '/';
  return new Map(
    all.map(({ path, parts }) => {
      let depth = 1;
      const isTaken = () =>
        all.some((other) => other.path !== path && label(other.parts, depth) === label(parts, depth));
      while (depth < parts.length && isTaken()) depth += 1;
      return [path, visibleExcerpt(label(parts, depth), 60)];
    }),
  );
}

/** The parts of the list in order, each with its heading. */
export const SECTIONS: readonly { readonly title: string; readonly groups: readonly RowGroup[] }[] = [
  { title: 'Waiting for you', groups: ['asks', 'rests'] },
  { title: 'Working', groups: ['works'] },
  { title: 'Ended today', groups: ['ended'] },
];

/** `2 waiting for you, 1 resting, 3 working, 4 ended today`: how many there are of each kind. */
export function countsOf(rows: readonly OverviewRow[]): string {
  const many = (group: RowGroup) => rows.filter((row) => row.group === group).length;
  const [asks, rests, works, ended] = (['asks', 'rests', 'works', 'ended'] as const).map(many);
  const parts = [
    asks ? `${asks} waiting for you` : '',
    rests ? `${rests} resting` : '',
    works ? `${works} working` : '',
    ended ? `${ended} ended today` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
