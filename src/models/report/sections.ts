import { actorIn } from '../../foundation/actor.js';
import { counted } from '../../foundation/text/counted.js';
import type { RunReport } from '../../run/index.js';
import type { Column, Table } from './charts/chart.js';
import { diffstatOf } from './figures.js';
import { block, type Child, type Element, element } from './markup.js';
import { storyOf } from './story.js';
import { line, lines, momentOf, numberOf, placeOf, spanOf } from './words.js';

/** A section of a report under its heading, or nothing if it would be empty. */
export function section(name: string, title: string, ...children: readonly Child[]): Element {
  return element(
    'section',
    { class: `part ${name}`, 'aria-labelledby': `report-${name}` },
    element('h2', { id: `report-${name}` }, title),
    ...children,
  );
}

/** A wide table scrolls on its own, with the keyboard too. */
export function tableElement({ columns, rows, more }: Table, label: string): Child {
  const cells = (row: readonly string[]) =>
    row.map((cell, index) => {
      const kind = columns[index]?.kind;
      const inner = kind === 'code' ? element('code', {}, cell) : cell;
      return index === 0
        ? element('th', { scope: 'row', ...(kind === undefined ? {} : { class: kind }) }, inner)
        : block('td', kind ?? '', inner);
    });
  return [
    element(
      'div',
      { class: 'scrolls', role: 'group', 'aria-label': label, tabindex: 0 },
      element(
        'table',
        {},
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            columns.map(({ title, kind }) =>
              element('th', { scope: 'col', ...(kind === undefined ? {} : { class: kind }) }, title),
            ),
          ),
        ),
        element(
          'tbody',
          {},
          rows.map((row) => element('tr', {}, cells(row))),
        ),
      ),
    ),
    more === undefined ? null : block('p', 'soft', `and ${more} more`),
  ];
}

export function gapsPart({ gaps }: RunReport): Child {
  if (gaps.length === 0) return null;
  return section(
    'gaps',
    'What this report cannot show',
    element(
      'ul',
      {},
      gaps.map(({ words }) => element('li', {}, line(words, 400))),
    ),
  );
}

const MAX_STORY = 150;

export function storyPart(report: RunReport): Child {
  const story = storyOf(report);
  if (story.length === 0) return null;
  const shown = story.slice(0, MAX_STORY);
  return section(
    'story',
    'What happened',
    element(
      'ol',
      {},
      shown.map(({ at, sign, words }) =>
        element(
          'li',
          {},
          element('time', { datetime: at }, momentOf(at)),
          element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
          block('span', 'words', words),
        ),
      ),
    ),
    story.length > shown.length ? block('p', 'soft', `and ${story.length - shown.length} more`) : null,
  );
}

const MAX_QUESTIONS = 60;

export function questionsPart({ questions, iterations }: RunReport): Child {
  const asked = questions.filter(({ isPermission }) => !isPermission);
  if (asked.length === 0) return null;
  const iterationOf = (id: string) => {
    const found = iterations.find((one) => one.questions.includes(id));
    return found === undefined ? '' : `, in ${line(found.story ?? found.phase, 40)} ${found.iteration}`;
  };
  return section(
    'questions',
    'Questions',
    asked.slice(0, MAX_QUESTIONS).map((one) => {
      const { id, title, prompts, askedAt, askedBy, from, answer, answeredAt, answeredBy, status } = one;
      const waited =
        answeredAt === null ? '' : ` after ${spanOf(Date.parse(answeredAt) - Date.parse(askedAt))}`;
      const who =
        answeredBy === null
          ? answeredAt === null
            ? ''
            : ', it was not recorded by whom'
          : `, ${placeOf(answeredBy)}`;
      return block(
        'div',
        'asked',
        element('h3', {}, line(title, 120)),
        block(
          'p',
          'soft',
          `${from === 'run' ? 'The run' : line(askedBy ?? 'The agent', 60)} asked at ${momentOf(askedAt)}${iterationOf(id)}`,
        ),
        prompts.map((prompt) => block('p', 'quoted', lines(prompt, 900))),
        block('p', 'answer', element('strong', {}, answer === null ? 'Not answered' : lines(answer, 600))),
        block('p', 'soft', `${STATUS[status] ?? line(status, 40)}${waited}${who}`),
      );
    }),
    asked.length > MAX_QUESTIONS ? block('p', 'soft', `and ${asked.length - MAX_QUESTIONS} more`) : null,
  );
}

export const STATUS: Readonly<Record<string, string>> = {
  completed: 'Answered',
  rejected: 'Rejected',
  pending: 'Waiting for an answer',
  timed_out: 'Timed out',
  abandoned: 'Withdrawn',
  gone: 'Cleaned up since',
};

export function permissionsPart({ permissions }: RunReport): Child {
  if (permissions.length === 0) return null;
  const hasTools = permissions.some(({ tool, what }) => tool !== '' && tool !== what);
  return section(
    'permissions',
    'Permissions',
    tableElement(
      {
        columns: [
          { title: 'What', kind: 'code' },
          ...(hasTools ? [{ title: 'Tool' }] : []),
          { title: 'Decision' },
          { title: 'Where, or why' },
          { title: 'Times', kind: 'number' },
          { title: 'First' },
        ],
        rows: permissions.map(({ tool, what, decision, by, count, firstAt, message }) => [
          line(what, 300),
          ...(hasTools ? [tool === what ? '' : line(tool, 60)] : []),
          // No line break after the sign.
          decision === 'allowed' ? '✓\u00a0allowed' : '✗\u00a0denied',
          `${placeOrReason(by)}${message === null ? '' : `: “${line(message, 200)}”`}`,
          `${count}`,
          momentOf(firstAt),
        ]),
      },
      'Permissions',
    ),
  );
}

/** The place of the person who decided, or the rule that decided automatically. */
function placeOrReason(by: string): string {
  return actorIn(by) === by ? placeOf(by) : line(by, 160);
}

const MAX_FILES = 300;

export function filesPart({ files, worktree }: RunReport): Child {
  if (files === null || files.length === 0) return null;
  const shown = files.slice(0, MAX_FILES);
  const lineCounts = diffstatOf(files);
  const sum = [
    counted(files.length, 'file'),
    ...(lineCounts === null ? [] : [lineCounts]),
    ...(worktree === null ? [] : [`on branch ${line(worktree.branch, 120)}`]),
  ];
  const numbers: Column[] = [
    { title: 'Added', kind: 'number' },
    { title: 'Deleted', kind: 'number' },
  ];
  return section(
    'files',
    'Files',
    block('p', 'soft', sum.join(', ')),
    tableElement(
      {
        columns: [{ title: 'File', kind: 'code' }, ...(lineCounts === null ? [] : numbers)],
        rows: shown.map(({ path, added, deleted, wasUncommitted }) => [
          `${line(path, 300)}${wasUncommitted ? ' (had uncommitted changes before the run)' : ''}`,
          ...(lineCounts === null ? [] : [signed('+', added), signed('−', deleted)]),
        ]),
        ...(files.length > shown.length ? { more: files.length - shown.length } : {}),
      },
      'Files',
    ),
  );
}

function signed(sign: string, count: number | null): string {
  return count === null ? '' : `${sign}${numberOf(count)}`;
}

const MAX_TROUBLE = 50;

export function troublePart({ errors, lastWords }: RunReport): Child {
  if (errors.length === 0 && lastWords === null) return null;
  return section(
    'errors',
    'Errors',
    errors.length === 0
      ? null
      : element(
          'ul',
          {},
          errors
            .slice(-MAX_TROUBLE)
            .map(({ at, phase, error }) =>
              element(
                'li',
                {},
                element('time', { datetime: at }, momentOf(at)),
                ` ${line(phase, 60)}: `,
                element('code', {}, line(error, 400)),
              ),
            ),
        ),
    lastWords === null
      ? null
      : [element('h3', {}, 'Last output of its process'), element('pre', {}, lines(lastWords, 2_000))],
  );
}

/** Where the work is, and the commands to type next. */
export function goOnPart(report: RunReport): Child {
  const { commands, worktree, conversation, startedFrom, sessionId, status, project } = report;
  const facts: [string, string][] = [
    ['Run', sessionId],
    ...(project.path === '' || worktree !== null
      ? []
      : [['Project', line(project.path, 300)] as [string, string]]),
    ...(startedFrom === null ? [] : [['Began at commit', startedFrom.slice(0, 12)] as [string, string]]),
    ...(worktree === null
      ? []
      : ([
          [
            'Branch',
            `${line(worktree.branch, 120)}${worktree.isBranchThere ? '' : ' (deleted)'}, from ${worktree.base.commit.slice(0, 12)}`,
          ],
          ['Worktree', `${line(worktree.path, 300)}${worktree.isThere ? '' : ' (removed)'}`],
        ] as [string, string][])),
    ...(conversation === null ? [] : [['Conversation', line(conversation, 80)] as [string, string]]),
  ];
  const blocks: [string, readonly string[]][] = [
    ['Continue it', commands],
    ['Merge its work', worktree?.commands.merge ?? []],
    ['Discard its work', worktree?.commands.discard ?? []],
    ['Read this in a terminal', [`holdfast report ${sessionId.slice(0, 8)}`]],
  ];
  return section(
    'go-on',
    status === 'completed' ? 'Where it is' : 'How to continue',
    element(
      'dl',
      { class: 'facts' },
      facts.map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, element('code', {}, value))),
      ),
    ),
    blocks
      .filter(([, typed]) => typed.length > 0)
      .map(([title, typed]) => [
        element('h3', {}, title),
        element('pre', {}, typed.map((command) => line(command, 500)).join('\n')),
      ]),
  );
}
