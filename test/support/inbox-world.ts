import { dirname, join } from 'node:path';
import {
  DEFAULT_LIMITS,
  type DraftAnswer,
  FileQuestionStore,
  type Question,
  type QuestionOutcome,
  QuestionSessions,
  type QuestionView,
} from '../../src/sessions/question/index.js';
import type { Key, NamedKey } from '../../src/tui/keys.js';
import type { Machine } from './holdfast-binary.js';
import { DAY_MS } from './question-world.js';
import { storageTools } from './storage-tools.js';

/** A question as the inbox sees it. */
export function asked(overrides: Partial<Question> = {}): Question {
  return {
    title: 'Database',
    prompt: 'Which database?',
    options: [{ label: 'PostgreSQL', description: 'the usual one' }, { label: 'SQLite' }],
    multiSelect: false,
    ...overrides,
  };
}

/** A pending set; its id is the number written out as a UUID. */
export function setOf(number: number, overrides: Partial<QuestionView> = {}): QuestionView {
  return {
    id: `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    outcome: { status: 'pending' },
    questions: [asked()],
    createdAt: '2026-03-01T11:00:00.000Z',
    lastActivityAt: '2026-03-01T11:00:00.000Z',
    expiresAt: null,
    callId: null,
    workingDirectory: '/home/ada/shop',
    asker: { agent: 'claude-code' },
    isAskerGone: null,
    actor: null,
    collectedAt: null,
    faults: [],
    ...overrides,
  };
}

/** The same set, settled. */
export function settledAs(view: QuestionView, outcome: QuestionOutcome): QuestionView {
  return { ...view, outcome };
}

export function answer(overrides: Partial<DraftAnswer> = {}): DraftAnswer {
  return { selected: [], isOther: false, text: '', isConfirmed: false, ...overrides };
}

/** Keys by name; a word that is not a name is typed, and one with `paste:` is pasted. */
export function keysOf(...presses: string[]): Key[] {
  return presses.map((press): Key => {
    if (press.startsWith('paste:')) return { name: 'paste', text: press.slice('paste:'.length) };
    if (NAMES.has(press) || /^ctrl-.$/.test(press)) return { name: press as NamedKey };
    return { name: 'text', text: press };
  });
}

const NAMES = new Set<string>([
  'enter',
  'newline',
  'escape',
  'tab',
  'shift-tab',
  'backspace',
  'delete',
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'page-up',
  'page-down',
  'word-left',
  'word-right',
  'unknown',
]);

/** The question sessions of a machine, from a process other than the program's: what agents and other people do. */
export function elsewhere(world: Machine): QuestionSessions {
  const tools = storageTools();
  const store = new FileQuestionStore(tools, {
    directory: world.questions,
    trash: join(dirname(world.questions), 'trash', 'questions'),
  });
  return new QuestionSessions({
    ...tools,
    store,
    limits: DEFAULT_LIMITS,
    maxSessions: 1_000,
    retentionMs: 7 * DAY_MS,
    timeoutMs: 0,
  });
}
