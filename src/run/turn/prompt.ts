import {
  describeMissing,
  type LoopState,
  type Missing,
  type Phase,
  type TestCounts,
} from '../../sessions/loop/index.js';
import type { Assignment } from '../plan/plan.js';
import { planExcerpt } from '../plan/plan-excerpt.js';

/** What a prompt is made of. All of it is known before the prompt is sent. */
export interface PromptFacts {
  readonly assignment: Assignment;
  readonly phase: Phase;
  readonly state: LoopState;
  readonly iteration: number;
  /** When the iteration began; it makes every prompt different. */
  readonly startedAt: string;
  readonly checks: readonly string[];
  readonly measured: MeasuredFacts;
  /** An earlier iteration without a recorded answer. */
  readonly interrupted: {
    readonly phase: string;
    readonly iteration: number;
    readonly startedAt: string;
  } | null;
  /** A person's answers that came while the agent was gone. */
  readonly answers: readonly string[];
  /** Whether the agent knows nothing of what was said before; then the prompt repeats the plan. */
  readonly isFresh?: boolean | undefined;
  /** The person's own instructions for this phase, from their configuration. */
  readonly ownWords?: string | undefined;
}

/** The latest measurements. */
export interface MeasuredFacts {
  readonly tests: TestCounts | null;
  readonly exitCode: number | null;
  /** The end of the output of the first check that failed. */
  readonly output: string;
  /** What the gate of the phase wants. */
  readonly condition: string | null;
  readonly isFirstGateOpen: boolean;
  /** What the gate lacks, and whether the agent had said it was done, after the last iteration of this phase. */
  readonly missing?: readonly Missing[] | undefined;
  readonly wasSignalled?: boolean | undefined;
}

/** The prompt for one iteration. Pure: the same facts give the same text. */
export function buildPrompt(facts: PromptFacts): string {
  const { assignment, state } = facts;
  const parts = [
    `# ${assignment.title}`,
    headPart(facts),
    `## Your task\n\n${taskPart(facts)}`,
    criteriaPart(facts),
    assignment.background,
    planPart(facts),
    movedPart(facts),
    interruptedPart(facts),
    listPart('A person says', state.guidance),
    listPart('Answers to what you asked earlier', facts.answers),
    measuredPart(facts),
    assignment.howTo,
    ownPart(facts),
    RULES,
    STATUS,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function headPart({ assignment, phase, state, iteration, startedAt }: PromptFacts): string {
  const unit = (state.currentStory ?? null) === null ? phase.name : `story ${state.currentStory}`;
  const { story } = assignment;
  const place =
    story === undefined ? '' : ` This is story ${story.number} of ${story.total}: ${story.title}.`;
  return `Iteration ${iteration} of ${unit}, begun ${startedAt}. The plan is ${assignment.path}.${place}`;
}

function taskPart({ assignment, phase }: PromptFacts): string {
  return TASK[phase.gate](assignment.criteria.length);
}

const ONLY_TESTS =
  'Do not implement anything yet. Tests that passed before must still pass. ' +
  'Import code that does not exist yet inside the test, not at the top of the file: a test file that cannot be loaded is not ' +
  'counted as a failing test.';
const KEEP_GREEN = 'Keep all checks passing.';

/** What to do in a phase, by what the phase works towards. */
const TASK: Readonly<Record<Phase['gate'], (criteria: number) => string>> = {
  'a-test-fails': (criteria) =>
    criteria === 0
      ? `Read the plan and write tests for what it asks for. At least one of them must fail now, because the feature is not there yet. ${ONLY_TESTS}`
      : 'Write tests for the criteria below, and name each test after its criterion. Tests for new behaviour must fail now, ' +
        'because it is not there yet; at least one must. A criterion that already holds, such as "nothing else changes", gets a ' +
        `test that passes now. A criterion about documents needs no test. ${ONLY_TESTS}`,
  'new-tests-fail': (criteria) =>
    criteria === 0
      ? `Read the plan and write tests for what it asks for. They must fail now, because the feature is not there yet. ${ONLY_TESTS}`
      : 'Write at least one test for each of the criteria below, and name each test after its criterion. At least ' +
        `${criteria === 1 ? '1 new test' : `${criteria} new tests`} must fail now, because the feature is not there yet. ${ONLY_TESTS}`,
  'all-pass': implementPart,
  'tests-pass': implementPart,
  'checks-green': () =>
    'Improve the code that was written for this plan: names, duplication, long functions, leftovers. Do not change what it does. ' +
    `${KEEP_GREEN} If nothing needs improving, change nothing and say that the phase is done.`,
  'still-green': () =>
    'Improve the code that was written for this plan: names, duplication, long functions, leftovers. Do not change what it does. ' +
    `${KEEP_GREEN} If nothing needs improving, add this line to the status block: \`no_improvements_found: true\`.`,
  'document-changed': () =>
    'Document what was built: what it does, how to use it, and decisions worth keeping. Update the documents that the project ' +
    `has before you add new ones. ${KEEP_GREEN} If no document needs to change now, add this line to the status block, with ` +
    'your reason: `no_documents_needed: <reason>`.',
  documents: () =>
    'Document what was built: what it does, how to use it, and the decisions behind it, one of them as a decision record in a ' +
    `directory \`decisions\` or \`adr\`. The project must have at least 3 Markdown documents in the end. ${KEEP_GREEN}`,
  'work-done': () =>
    `Do what the plan asks for, all of it. Write tests only where the plan asks for them or the change needs them. ${KEEP_GREEN}`,
  'story-done': () =>
    'Work on this story only. Do each of its tasks, with tests, and mark a task as done as soon as it is really done. ' +
    `${KEEP_GREEN}`,
};

function implementPart(): string {
  return (
    'Implement what the plan asks for until every test passes. Do not change, remove or skip tests to get there. We run the ' +
    'checks twice in a row; both runs must pass.'
  );
}

const RULES = [
  '## Rules',
  '',
  '- Work on your own. If a decision is not yours to make, ask with the tool `ask_user_questions`.',
  '- Do not commit, reset or switch branches unless the plan says so.',
  '- After your answer we run the checks ourselves and believe only their result. You may run them too, exactly as they are ' +
    'written here.',
].join('\n');

/** In a fence, so an agent that repeats it claims nothing. */
const STATUS = [
  '## How to end your answer',
  '',
  'End your answer with this block, outside of any code fence. Set EXIT_SIGNAL to true only if this phase is completely done:',
  '```',
  '---PRP_PHASE_STATUS---',
  'STATUS: IN_PROGRESS or COMPLETE or BLOCKED',
  'EXIT_SIGNAL: false',
  'RECOMMENDATION: what should come next, in one line',
  '---END_PRP_PHASE_STATUS---',
  '```',
].join('\n');

function criteriaPart({ assignment, state }: PromptFacts): string {
  const { criteria } = assignment;
  if (criteria.length === 0) return '';
  const lines = criteria.map(({ text, isDone }) => `- [${isDone ? 'x' : ' '}] ${text}`);
  const title = (state.currentStory ?? null) === null ? 'Acceptance criteria' : 'Tasks of this story';
  return `## ${title}\n\n${lines.join('\n')}`;
}

/** Included in the first prompt of a phase and whenever the agent cannot know it: within one conversation it stays known. */
function planPart({ assignment, phase, iteration, interrupted, isFresh }: PromptFacts): string {
  const { sections, path, criteria, whole } = assignment;
  const isKnown = iteration > 1 && isFresh !== true && interrupted === null;
  if (whole !== undefined)
    return isKnown
      ? 'The first prompt of this phase quoted the whole plan.'
      : `## The plan\n\n${whole.trim()}`;
  if (sections === undefined) return '';
  if (isKnown)
    return `The first prompt of this phase quoted the plan. Read ${path} again if you need more of it.`;
  const excerpt = planExcerpt(sections, { gate: phase.gate, path, hasCriteria: criteria.length > 0 });
  return excerpt === '' ? `Read ${path} before you begin.` : `## The plan\n\n${excerpt}`;
}

/** The run moved to another machine: of its work on the old one, the agent knows only what the prompt says. */
function movedPart({ state }: PromptFacts): string {
  if (state.movedFrom == null) return '';
  return (
    `This run was on the machine ${state.movedFrom} before and now continues on another one, from its last checkpoint. The tree is as ` +
    'it was then; files that git ignores, such as installed packages and build output, did not come along.'
  );
}

function interruptedPart({ interrupted, state }: PromptFacts): string {
  if (interrupted === null) return '';
  if (state.movedFrom != null)
    return (
      `Iteration ${interrupted.iteration} of ${interrupted.phase}, begun ${interrupted.startedAt}, was interrupted when that machine was ` +
      'lost: there is no record of its answer, and nothing that it changed is in the tree. Look at the tree first and continue from there.'
    );
  return (
    `Iteration ${interrupted.iteration} of ${interrupted.phase}, begun ${interrupted.startedAt}, was interrupted: there is no ` +
    'record of its answer, and whatever it changed is in the tree. Look at the tree first and continue from there.'
  );
}

function ownPart({ ownWords = '' }: PromptFacts): string {
  return ownWords.trim() === '' ? '' : `## From the person you work for\n\n${ownWords.trim()}`;
}

function listPart(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${title}:\n${items.map((item) => `- ${item}`).join('\n')}`;
}

function measuredPart(facts: PromptFacts): string {
  const { measured, checks, state } = facts;
  const { tests, exitCode, output, condition } = measured;
  const lines = [`Checks that we run: ${checks.map((check) => `\`${check}\``).join(', ')}`];
  const baseline = state.baseline?.tests ?? null;
  if (baseline !== null) lines.push(`Before the run: ${countsText(baseline)}`);
  if (tests !== null) lines.push(`Now: ${countsText(tests)}`);
  else if (exitCode !== null)
    lines.push(`Now: the checks end with exit code ${exitCode} and report no test numbers`);
  if (condition !== null) lines.push(`This phase ends when: ${condition}`);
  lines.push(...verdictLines(measured));
  const told =
    output === '' ? '' : `\n\nThe first check that failed printed this at the end:\n${fenced(output)}`;
  return `## Measured\n\n${lines.map((line) => `- ${line}`).join('\n')}${told}`;
}

function verdictLines({ missing, isFirstGateOpen, wasSignalled }: MeasuredFacts): string[] {
  if (isFirstGateOpen)
    return ['Nothing is missing. If the work of this phase is complete, set EXIT_SIGNAL to true.'];
  if (missing === undefined || missing.length === 0) return [];
  const told = wasSignalled === true ? ' (you said that the phase was done; it is not)' : '';
  return [`The gate is not met: ${describeMissing(missing)}${told}`];
}

function countsText({ total, passing, failing, skipped }: TestCounts): string {
  return `${total} tests, ${passing} pass, ${failing} fail${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

/** The fence is longer than any inside, so a program's output cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
