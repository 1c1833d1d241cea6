/** One step of a scenario, such as WHEN with its text. */
export interface ScenarioStep {
  readonly keyword: 'GIVEN' | 'WHEN' | 'THEN' | 'AND' | 'BUT';
  readonly text: string;
}

/** One example of what a change promises. */
export interface Scenario {
  readonly name: string;
  readonly requirement: string;
  /** The capability it belongs to: the path of its directory below `specs`. */
  readonly capability: string;
  /** What the change does to the requirement. */
  readonly operation: 'added' | 'modified' | 'removed' | 'renamed' | null;
  readonly steps: readonly ScenarioStep[];
}

type DeltaOperation = Scenario['operation'];

const SECTION = /^ {0,3}##\s+(ADDED|MODIFIED|REMOVED|RENAMED)\s+Requirements\s*$/i;
const OTHER_SECTION = /^ {0,3}#{1,2}\s/;
const REQUIREMENT = /^ {0,3}###\s+Requirement:(.*)/i;
const SCENARIO = /^ {0,3}####\s+Scenario:(.*)/i;
const HEADING = /^ {0,3}#{1,6}\s/;
const STEP = /^\s*[-*+]\s+(\*\*|__)?(GIVEN|WHEN|THEN|AND|BUT)\b:?(?:\*\*|__)?:?(.*)/;

/** The scenarios of one spec file of a change, with all their steps; a step may span several lines. */
export function readScenarios(text: string, capability: string): Scenario[] {
  const scenarios: (Scenario & { steps: ScenarioStep[] })[] = [];
  let operation: DeltaOperation = null;
  let requirement = '';
  let current: (Scenario & { steps: ScenarioStep[] }) | undefined;
  for (const line of text.split('\n')) {
    const scenario = SCENARIO.exec(line)?.[1];
    if (scenario !== undefined) {
      current = { name: scenario.trim(), requirement, capability, operation, steps: [] };
      scenarios.push(current);
      continue;
    }
    if (HEADING.test(line)) {
      current = undefined;
      requirement = REQUIREMENT.exec(line)?.[1]?.trim() ?? requirement;
      operation = operationOf(line, operation);
      continue;
    }
    if (current !== undefined) addLine(current.steps, line);
  }
  return scenarios;
}

/** The published shape, grouped by GIVEN, WHEN and THEN; AND and BUT continue the previous group. */
export function groupSteps(steps: readonly ScenarioStep[]): {
  given: string[];
  when: string;
  then: string[];
} {
  const groups = { GIVEN: [] as string[], WHEN: [] as string[], THEN: [] as string[] };
  let group = groups.GIVEN;
  for (const { keyword, text } of steps) {
    if (keyword !== 'AND' && keyword !== 'BUT') group = groups[keyword];
    group.push(text);
  }
  // biome-ignore lint/suspicious/noThenProperty: the published name of the key
  return { given: groups.GIVEN, when: groups.WHEN.join('\n'), then: groups.THEN };
}

function operationOf(line: string, before: DeltaOperation): DeltaOperation {
  const word = SECTION.exec(line)?.[1]?.toLowerCase();
  if (word !== undefined) return word as DeltaOperation;
  return OTHER_SECTION.test(line) ? null : before;
}

function addLine(steps: ScenarioStep[], line: string): void {
  const [, , keyword, text] = STEP.exec(line) ?? [];
  if (keyword !== undefined) {
    steps.push({ keyword: keyword as ScenarioStep['keyword'], text: (text ?? '').trim() });
    return;
  }
  const last = steps.at(-1);
  const more = line.trim();
  if (last === undefined || more === '') return;
  steps[steps.length - 1] = { ...last, text: `${last.text}\n${more}` };
}
