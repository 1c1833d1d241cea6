import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a test must not do, because it means something else on a machine that is busy or slow. */
const FAULTS = {
  clock:
    'a test asks the clock how long something took: count the work (test/support/work.ts), or measure in bench/',
  deadline: 'a test has a deadline of its own: the common ones are in test/support/deadlines.ts',
} as const;

describe('tests', () => {
  it('mean the same on every machine: none asserts how long something took, none has a deadline of its own', () => {
    const found = testFiles().flatMap((path) => faultsIn(path, readFileSync(join(ROOT, path), 'utf8')));
    expect(found).toEqual([]);
  });

  it.each([
    ['clock', 'const a = performance.now();'],
    ['clock', 'const a = process.hrtime.bigint();'],
    ['clock', 'const a = process.cpuUsage();'],
    ['clock', 'expect(Date.now() - start).toBeLessThan(5);'],
    ['clock', 'const took = Date.now() - start;'],
    ['clock', 'expect(new Date().getTime() - begun).toBeLessThan(5);'],
    ['clock', 'await until(() => Date.now() > begun + 5_000);'],
    ['deadline', 'await vi.waitFor(() => expect(a).toBe(1));'],
    ['deadline', 'await vi.waitFor(isSo, { timeout: 1_000 });'],
    ['deadline', 'await vi.waitUntil(isSo, 1_000);'],
    ['deadline', 'await expect.poll(isSo).toBe(true);'],
    ['deadline', "it('does', () => {}, 5_000);"],
    ['deadline', "it.each([1])('does', () => {}, 5_000);"],
    ['deadline', "it('does', { timeout: 5_000 }, () => {});"],
    ['deadline', "verifies('Q01', 'does', () => {}, 60_000);"],
    ['deadline', 'vi.setConfig({ testTimeout: 1 });'],
  ])('are refused with a %s: %s', (kind, text) => {
    expect(faultsIn('a.test.ts', text)).toEqual([`a.test.ts:1: ${FAULTS[kind as keyof typeof FAULTS]}`]);
  });

  it.each([
    'const old = new Date(Date.now() - 61_000);',
    'const old = new Date(Date.now() - DAY_MS + index);',
    'const startAt = Date.now() + 4;',
    'expect(clock.now().getTime()).toBeLessThan(5);',
    'expect(Date.parse(wait.until) - startedMs).toBeLessThan(100_000);',
    'await vi.waitFor(isSo, PATIENT);',
    "it('does', () => { const settings = { timeout: 86_400_000 }; });",
    "const body = 'performance.now()'; // performance.now()",
    'create(SET, { timeoutMs: 1_000 }); sleep(5, 10, 5_000);',
  ])('are left alone with %s', (text) => {
    expect(faultsIn('a.test.ts', text)).toEqual([]);
  });
});

function testFiles(): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
}

/** Only a file with one of these words is worth the parser. */
const WORDS =
  /performance\.now|hrtime|cpuUsage|uptime|Date\.now|Date\(\)|waitFor|waitUntil|poll|setConfig|timeout:|\d{3},?\s*\)/;

function faultsIn(path: string, text: string): string[] {
  if (!WORDS.test(text)) return [];
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const found = new Set<string>();
  const look = (node: ts.Node) => {
    const fault = faultOf(node);
    if (fault !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.add(`${path}:${line + 1}: ${FAULTS[fault]}`);
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return [...found];
}

const STOPWATCHES = ['performance.now', 'process.hrtime', 'process.cpuUsage', 'process.uptime'];
const WAITS = ['vi.waitFor', 'vi.waitUntil', 'expect.poll'];
const TESTS = /^(it|test|verifies\w*|itNeeds)\b/;

function faultOf(node: ts.Node): keyof typeof FAULTS | undefined {
  if (ts.isPropertyAccessExpression(node) && STOPWATCHES.includes(node.getText())) return 'clock';
  if (!ts.isCallExpression(node)) return undefined;
  const called = node.expression.getText();
  if (isNow(node, called) && isCompared(node)) return 'clock';
  if (called === 'vi.setConfig') return 'deadline';
  if (WAITS.includes(called)) return node.arguments[1]?.getText() === 'PATIENT' ? undefined : 'deadline';
  return TESTS.test(called) && node.arguments.some(isDeadline) ? 'deadline' : undefined;
}

function isNow(node: ts.CallExpression, called: string): boolean {
  return called === 'Date.now' || /^new Date\(\)\.(getTime|valueOf)$/.test(node.expression.getText());
}

/** Whether a time is what is asserted or compared, or another one is taken from it: then it is about how long it took. */
function isCompared(node: ts.Node): boolean {
  let at = node;
  while (ts.isBinaryExpression(at.parent)) {
    if (isComparison(at.parent, at)) return true;
    at = at.parent;
  }
  return ts.isCallExpression(at.parent) && at.parent.expression.getText() === 'expect';
}

function isComparison(binary: ts.BinaryExpression, side: ts.Node): boolean {
  const operator = binary.operatorToken.getText();
  if (['<', '>', '<=', '>='].includes(operator)) return true;
  // `Date.now() - 60_000` is a time in the past; `Date.now() - start` is how long it took.
  const isTaken = operator === '-' && (binary.left === side || binary.left.getText().includes('Date'));
  return isTaken && !ts.isNumericLiteral(binary.right) && !/^[A-Z0-9_]+$/.test(binary.right.getText());
}

/** A number as the last argument of a test, or options with a timeout. */
function isDeadline(argument: ts.Expression, index: number): boolean {
  if (index === 0) return false;
  if (ts.isNumericLiteral(argument)) return true;
  return (
    ts.isObjectLiteralExpression(argument) &&
    argument.properties.some((one) => one.name?.getText() === 'timeout')
  );
}
