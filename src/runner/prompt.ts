import type { LoopState, Phase, TestCounts } from '../sessions/loop/index.js';
import type { Assignment } from './plan.js';

/** What a prompt is made of. All of it is known before it is sent. */
export interface PromptFacts {
  readonly assignment: Assignment;
  readonly phase: Phase;
  readonly state: LoopState;
  readonly iteration: number;
  /** When the iteration began: no two prompts are the same. */
  readonly startedAt: string;
  readonly checks: readonly string[];
  readonly measured: MeasuredFacts;
  /** An iteration before this one that has no recorded answer. */
  readonly interrupted: {
    readonly phase: string;
    readonly iteration: number;
    readonly startedAt: string;
  } | null;
  /** Answers of a person that came when the agent was not there. */
  readonly answers: readonly string[];
}

/** What we measured last. */
export interface MeasuredFacts {
  readonly tests: TestCounts | null;
  readonly exitCode: number | null;
  /** The end of what the first check that failed printed. */
  readonly output: string;
  /** What the gate of the phase wants. */
  readonly condition: string | null;
  readonly isFirstGateOpen: boolean;
}

/** The prompt for one iteration. Pure: the same facts give the same text. */
export function buildPrompt(facts: PromptFacts): string {
  const { assignment, phase, state, iteration, startedAt } = facts;
  const story = state.currentStory ?? null;
  const unit = story === null ? phase.name : `story ${story}`;
  const parts = [
    `# ${assignment.title}`,
    `Iteration ${iteration} of ${unit}, begun ${startedAt}. The plan is ${assignment.path}: read it.`,
    taskPart(facts),
    criteriaPart(assignment),
    assignment.background,
    interruptedPart(facts),
    listPart('A person says', state.guidance),
    listPart('Answers to what you asked earlier', facts.answers),
    measuredPart(facts),
    assignment.howTo,
    RULES,
    STATUS,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function taskPart({ assignment, phase }: PromptFacts): string {
  const hasCriteria = assignment.criteria.length > 0;
  return phase.gate === 'new-tests-fail' && !hasCriteria ? TESTS_WITHOUT_CRITERIA : TASK[phase.gate];
}

const MUST_FAIL =
  'They must fail now, because what they test is not there yet. Do not implement anything. Tests that passed before must still pass.';
const TESTS_WITHOUT_CRITERIA = `Write tests for what the plan wants, named so that one sees what each is about. ${MUST_FAIL}`;

/** What to do in a phase, by what it works towards. */
const TASK: Readonly<Record<Phase['gate'], string>> = {
  'new-tests-fail': `Write tests for the criteria below: at least one for each, named so that one sees which. ${MUST_FAIL}`,
  'tests-pass':
    'Make all tests pass by implementing what the plan wants. Do not change or remove tests to get there, and do not skip any.',
  'still-green':
    'Improve what was written: names, duplication, size of functions, leftovers. Behaviour stays as it is, all tests stay green. ' +
    'If nothing is left to improve, say so in the status block (no_improvements_found: true under REFACTOR_PHASE_METRICS).',
  documents:
    'Write down what was built: what it does, how it is used, and the decisions behind it, one of them as a decision record ' +
    '(in a directory `decisions` or `adr`). The project needs at least three Markdown documents in the end. All tests stay green.',
  'story-done':
    'Work on this story only: do each of its tasks, with tests, and tick it when it is really done. All tests stay green.',
};

const RULES =
  'Work on your own; if a decision is not yours to take, ask with the tool `ask_user_questions`. Do not commit, reset or switch ' +
  'branches unless the plan says so. We run the checks ourselves after you have answered and believe only them; you may run them, ' +
  'too, each just as it is written here.';

/** In a fence: an agent that repeats it says nothing by that. */
const STATUS = [
  'End your answer with this block, outside of any code fence. EXIT_SIGNAL is true only if this phase is completely done:',
  '```',
  '---PRP_PHASE_STATUS---',
  'STATUS: IN_PROGRESS or COMPLETE or BLOCKED',
  'EXIT_SIGNAL: false',
  'RECOMMENDATION: what should come next, in one line',
  '---END_PRP_PHASE_STATUS---',
  '```',
].join('\n');

function criteriaPart({ criteria }: Assignment): string {
  if (criteria.length === 0) return '';
  const lines = criteria.map(({ text, isDone }) => `- [${isDone ? 'x' : ' '}] ${text}`);
  return `What must be so in the end:\n${lines.join('\n')}`;
}

function interruptedPart({ interrupted }: PromptFacts): string {
  if (interrupted === null) return '';
  return (
    `Iteration ${interrupted.iteration} of ${interrupted.phase}, begun ${interrupted.startedAt}, was interrupted: there is no ` +
    'record of its answer, and what it changed is in the tree. Its prompt is not sent again. Look at the tree and go on from there.'
  );
}

function listPart(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${title}:\n${items.map((item) => `- ${item}`).join('\n')}`;
}

function measuredPart({ measured, checks, state }: PromptFacts): string {
  const { tests, exitCode, output, condition } = measured;
  const lines = [`Checks that we run: ${checks.map((check) => `\`${check}\``).join(', ')}`];
  const baseline = state.baseline?.tests ?? null;
  if (baseline !== null) lines.push(`Before anybody began: ${countsText(baseline)}`);
  if (tests !== null) lines.push(`Now: ${countsText(tests)}`);
  else if (exitCode !== null)
    lines.push(`Now: the checks end with exit code ${exitCode}; they tell no numbers`);
  if (condition !== null)
    lines.push(`The phase ends when: ${condition} (${measured.isFirstGateOpen ? 'it is so' : 'not yet'})`);
  const told = output === '' ? '' : `\n\nWhat the first check that failed printed last:\n${fenced(output)}`;
  return `Measured:\n${lines.map((line) => `- ${line}`).join('\n')}${told}`;
}

function countsText({ total, passing, failing, skipped }: TestCounts): string {
  return `${total} tests, ${passing} pass, ${failing} fail${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

/** Longer than any fence inside, so that what a program printed cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
