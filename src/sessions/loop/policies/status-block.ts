import { visibleExcerpt } from '../../../foundation/index.js';
import type { SelfReport } from './measurement.js';

/** A status block printed by an agent, or one from our log. Names are as published, values as text. */
export interface StatusBlock {
  readonly dialect: 'PRP_PHASE_STATUS' | 'RALPH_STATUS';
  /** Plain fields, such as `EXIT_SIGNAL`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields by section, such as `TESTS` and `PASSING`. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Items by section, such as those under `BLOCKERS`. */
  readonly items: Readonly<Record<string, readonly string[]>>;
}

/** A `RED_PHASE_METRICS:` list or similar. */
export interface PhaseMetricsBlock {
  readonly phase: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

export interface ParsedStatus {
  /** Every complete block, in order. The last one counts. */
  readonly blocks: readonly StatusBlock[];
  readonly metrics: readonly PhaseMetricsBlock[];
}

const START = /^ {0,3}---(PRP_PHASE_STATUS|RALPH_STATUS)---\s*$/;
const END = /^ {0,3}---END_(PRP_PHASE_STATUS|RALPH_STATUS)---\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LISTED = /^(?:([A-Z]+)_PHASE_METRICS|(RALPH_STATUS)):\s*$/;
const FIELD = /^( *)([A-Za-z0-9][A-Za-z0-9_]*):(?:\s+(.*))?$/;
const ITEM = /^ *- (.*)$/;

/**
 * Finds status blocks in an agent's output. Delimiters must be on lines of their own. Quoted blocks and blocks in a
 * code fence do not count, nor do blocks that are restarted or never end. Unknown keys are kept.
 */
export function parseStatus(output: string): ParsedStatus {
  const blocks: StatusBlock[] = [];
  const metrics: PhaseMetricsBlock[] = [];
  let open: { dialect: StatusBlock['dialect']; lines: string[] } | undefined;
  const lines = unfencedLines(output);
  for (const [index, line] of lines.entries()) {
    const start = START.exec(line)?.[1] as StatusBlock['dialect'] | undefined;
    const end = END.exec(line)?.[1];
    if (start !== undefined) open = { dialect: start, lines: [] };
    else if (end !== undefined) {
      if (open?.dialect === end) blocks.push(toBlock(open.dialect, open.lines));
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else addListed(lines, index, blocks, metrics);
  }
  return { blocks, metrics };
}

/** What an agent says in its last complete block and its last metrics of each kind. */
export function selfReportOf({ blocks, metrics }: ParsedStatus): SelfReport {
  const last = blocks.at(-1);
  const said: Record<string, string | number | boolean> = {};
  for (const { values } of metrics) Object.assign(said, values);
  // Agents also put them into the block, under their heading or directly.
  for (const [name, values] of Object.entries(last?.sections ?? {}))
    if (name.endsWith('_PHASE_METRICS')) assignScalars(said, values);
  assignScalars(
    said,
    Object.fromEntries(Object.entries(last?.fields ?? {}).filter(([key]) => METRIC.test(key))),
  );
  const tests = last?.sections.TESTS ?? {};
  for (const [key, value] of Object.entries(tests)) said[`tests_${key.toLowerCase()}`] ??= scalar(value);
  const signal = last?.fields.EXIT_SIGNAL?.trim().toLowerCase();
  return {
    exitSignal: signal === 'true' ? true : signal === 'false' ? false : undefined,
    status: last?.fields.STATUS,
    metrics: said,
    recommendation: last?.fields.RECOMMENDATION,
  };
}

/** The published names of metrics are lower case; those of the block's own fields are not. */
const METRIC = /^[a-z][a-z0-9_]*$/;

function assignScalars(
  said: Record<string, string | number | boolean>,
  values: Readonly<Record<string, string>>,
): void {
  for (const [key, value] of Object.entries(values)) said[key] = scalar(value);
}

/** The contents of one of our blocks. */
export interface StatusReport {
  readonly timestamp: string;
  readonly phase: string;
  readonly status: 'IN_PROGRESS' | 'BLOCKED' | 'COMPLETE';
  readonly iteration: number;
  readonly progressPercent: number;
  readonly tests: { total: number; passing: number; failing: number; skipped: number } | null;
  readonly files: { readonly created: number; readonly modified: number; readonly deleted: number };
  readonly breaker: { readonly state: string; readonly noProgressCount: number };
  readonly gates: { readonly first: boolean; readonly second: boolean; readonly detail: string };
  readonly rateLimit: { readonly calls: number; readonly limit: number; readonly isDetected: boolean };
  readonly blockers: readonly string[];
  readonly exitSignal: boolean;
  readonly recommendation: string;
}

/** A block for `phase-status.log`, ending in a line break. No text in it can end it or begin another. */
export function formatStatusBlock(report: StatusReport): string {
  const { tests, files, breaker, gates, rateLimit } = report;
  const known = (value: number | undefined) => (value === undefined ? 'UNKNOWN' : String(value));
  const lines = [
    '---PRP_PHASE_STATUS---',
    `TIMESTAMP: ${report.timestamp}`,
    `PHASE: ${oneLine(report.phase)}`,
    `STATUS: ${report.status}`,
    `ITERATION: ${report.iteration}`,
    `PROGRESS_PERCENT: ${report.progressPercent}`,
    '',
    'TESTS:',
    `  TOTAL: ${known(tests?.total)}`,
    `  PASSING: ${known(tests?.passing)}`,
    `  FAILING: ${known(tests?.failing)}`,
    `  SKIPPED: ${known(tests?.skipped)}`,
    'FILES:',
    `  CREATED: ${files.created}`,
    `  MODIFIED: ${files.modified}`,
    `  DELETED: ${files.deleted}`,
    'CIRCUIT_BREAKER:',
    `  STATE: ${breaker.state}`,
    `  NO_PROGRESS_COUNT: ${breaker.noProgressCount}`,
    'DUAL_GATE:',
    `  GATE_1: ${gates.first}`,
    `  GATE_2: ${gates.second}`,
    `  CAN_EXIT: ${gates.first && gates.second}`,
    `  GATE_1_DETAIL: ${oneLine(gates.detail)}`,
    'RATE_LIMIT:',
    `  HOURLY: ${rateLimit.calls}/${rateLimit.limit}`,
    `  5H_LIMIT: ${rateLimit.isDetected ? 'DETECTED' : 'OK'}`,
    'BLOCKERS:',
    ...(report.blockers.length === 0
      ? ['  - none']
      : report.blockers.map((blocker) => `  - ${oneLine(blocker)}`)),
    `EXIT_SIGNAL: ${report.exitSignal}`,
    `RECOMMENDATION: ${oneLine(report.recommendation)}`,
    '---END_PRP_PHASE_STATUS---',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function oneLine(text: string): string {
  return visibleExcerpt(text, 300);
}

/** The lines outside code fences. */
function unfencedLines(text: string): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
    if (fence === undefined && marks !== '' && !(marks[0] === '`' && rest.includes('`'))) fence = marks;
    else if (fence !== undefined) {
      if (marks.startsWith(fence) && rest.trim() === '') fence = undefined;
    } else lines.push(line);
  }
  return lines;
}

function toBlock(dialect: StatusBlock['dialect'], lines: readonly string[]): StatusBlock {
  const fields: Record<string, string> = Object.create(null);
  const sections: Record<string, Record<string, string>> = Object.create(null);
  const items: Record<string, string[]> = Object.create(null);
  let section: { name: string; indent: number } | undefined;
  for (const line of lines) {
    const item = ITEM.exec(line)?.[1];
    const [, blanks = '', key, value = ''] = FIELD.exec(line) ?? [];
    if (section !== undefined && item !== undefined) {
      items[section.name] = [...(items[section.name] ?? []), item.trim()];
    } else if (key === undefined) {
      if (line.trim() !== '') section = undefined;
    } else if (section !== undefined && blanks.length > section.indent) {
      sections[section.name] = { ...sections[section.name], [key]: value.trim() };
    } else if (value.trim() === '') section = { name: key, indent: blanks.length };
    else {
      section = undefined;
      fields[key] = value.trim();
    }
  }
  return { dialect, fields: { ...fields }, sections: { ...sections }, items: { ...items } };
}

/** Blocks in list form: a name with a colon, and indented keys below it. */
function addListed(
  lines: readonly string[],
  index: number,
  blocks: StatusBlock[],
  metrics: PhaseMetricsBlock[],
): void {
  const [, phase, ralph] = LISTED.exec(lines[index] ?? '') ?? [];
  if (phase === undefined && ralph === undefined) return;
  const values: Record<string, string> = {};
  for (let next = index + 1; next < lines.length; next++) {
    const [, blanks = '', key, value = ''] = FIELD.exec(lines[next] ?? '') ?? [];
    if (key !== undefined && blanks.length > 0) values[key] = value.trim();
    else if (!/^ +- /.test(lines[next] ?? '')) break;
  }
  if (Object.keys(values).length === 0) return;
  if (ralph !== undefined) blocks.push({ dialect: 'RALPH_STATUS', fields: values, sections: {}, items: {} });
  else
    metrics.push({
      phase: phase ?? '',
      values: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, scalar(value)])),
    });
}

function scalar(text: string): string | number | boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
