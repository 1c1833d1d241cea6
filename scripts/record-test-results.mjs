// Records what real test runners print, as fixtures for src/workspace/test-results:
//   node scripts/record-test-results.mjs [tool …]
// A tool is looked for on PATH; JEST=/path/to/jest and so on name another program. One that is not there is skipped, and
// its fixtures stay as they are.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FIXTURES = path.join(ROOT, 'test/fixtures/test-results');
const INDEX = path.join(FIXTURES, 'recorded.json');

const program = (name, otherwise = name) => process.env[name.toUpperCase()] ?? otherwise;
const NODE = process.execPath;
const VITEST = program('vitest', path.join(ROOT, 'node_modules/.bin/vitest'));
const JEST = program('jest');
const MOCHA = program('mocha');
const PYTEST = program('pytest');
const PYTHON = program('python', 'python3');
const GO = program('go');
const CARGO = program('cargo');
const PERL = program('perl');

const NODE_GREEN = `import { test, describe } from 'node:test'; import assert from 'node:assert';
describe('sums', () => { test('adds', () => assert.equal(1 + 1, 2)); test('adds more', () => assert.equal(2 + 2, 4)); });
test('later', { skip: true }, () => {});
test('some day', { todo: true }, () => {});`;
const NODE_RED = `import { test, describe } from 'node:test'; import assert from 'node:assert';
describe('sums', () => { test('adds', () => assert.equal(1 + 1, 2)); test('adds wrongly', () => assert.equal(1 + 1, 3)); });
test('says 0 failed', () => { console.log('# fail 0'); });`;
const BDD_GREEN = `describe('sums', () => { test('adds', () => expect(1 + 1).toBe(2)); test('adds more', () => expect(2 + 2).toBe(4)); });
test.skip('later', () => {}); test.todo('some day');`;
const BDD_RED = `describe('sums', () => { test('adds', () => expect(1 + 1).toBe(2)); test('adds wrongly', () => expect(1 + 1).toBe(3)); });
test('says it is fine', () => { console.log('Tests: 0 failed'); });`;
const MOCHA_GREEN = `const assert = require('node:assert');
describe('sums', () => { it('adds', () => assert.equal(1 + 1, 2)); it('adds more', () => assert.equal(2 + 2, 4)); });
it.skip('later', () => {}); it('some day');`;
const MOCHA_RED = `const assert = require('node:assert');
describe('sums', () => { it('adds', () => assert.equal(1 + 1, 2)); it('adds wrongly', () => assert.equal(1 + 1, 3)); });
it('says it is fine', () => { console.log('  3 passing (1ms)'); });`;
const MOCHA_HOOK = `describe('sums', () => { beforeEach(() => { throw new Error('no'); }); it('adds', () => {}); it('adds more', () => {}); });`;
const SYNTAX_ERROR = 'this is ( not a program';
const PY_GREEN = `import pytest
def test_adds(): assert 1 + 1 == 2
def test_adds_more(): assert 2 + 2 == 4
@pytest.mark.skip
def test_later(): pass
@pytest.mark.xfail
def test_known(): assert False`;
const PY_RED = `import pytest
def test_adds(): assert 1 + 1 == 2
def test_adds_wrongly(): assert 1 + 1 == 3
@pytest.fixture
def broken(): raise RuntimeError('no')
def test_needs(broken): pass`;
const PY_SUBTESTS = `def test_table(subtests):
    for number in range(3):
        with subtests.test(number=number): assert number < 3
def test_adds(): pass`;
const UNITTEST_GREEN = `import unittest
class Sums(unittest.TestCase):
    def test_adds(self): self.assertEqual(1 + 1, 2)
    def test_adds_more(self): self.assertEqual(2 + 2, 4)
    @unittest.skip('later')
    def test_later(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()`;
const UNITTEST_RED = `import unittest
class Sums(unittest.TestCase):
    def test_adds(self): self.assertEqual(1 + 1, 2)
    def test_adds_wrongly(self): self.assertEqual(1 + 1, 3)
    def test_breaks(self): raise RuntimeError('no')`;
const UNITTEST_SUBTESTS = `import unittest
class Sums(unittest.TestCase):
    def test_table(self):
        for number in range(3):
            with self.subTest(number=number): self.assertLess(number, 1)`;
const unittest = ['-m', 'unittest'];
const GO_MOD = 'module example.com/sums\n\ngo 1.19\n';
const GO_GREEN = `package sums
import "testing"
func TestAdds(t *testing.T) { if 1+1 != 2 { t.Fatal("no") } }
func TestTable(t *testing.T) { t.Run("one", func(t *testing.T) {}); t.Run("two", func(t *testing.T) {}) }
func TestLater(t *testing.T) { t.Skip("later") }`;
const GO_RED = `package sums
import "testing"
func TestAdds(t *testing.T) {}
func TestAddsWrongly(t *testing.T) { t.Errorf("1+1 is not 3") }`;
const GO_PANIC = `package sums
import "testing"
func TestAdds(t *testing.T) {}
func TestPanics(t *testing.T) { panic("no") }`;
const CARGO_TOML = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n';
const RUST_GREEN = `/// \`\`\`
/// assert_eq!(1 + 1, 2);
/// \`\`\`
pub fn add() {}
#[test] fn adds() { assert_eq!(1 + 1, 2); }
#[test] #[ignore] fn later() {}`;
const RUST_RED = `#[test] fn adds() {}
#[test] fn adds_wrongly() { assert_eq!(1 + 1, 3); }`;
const RUST_ABORT = '#[test] fn adds() {}\n#[test] fn aborts() { std::process::abort(); }';

const spec = ['--test', '--test-reporter=spec'];
const tap = ['--test', '--test-reporter=tap'];
const vitest = ['run', '--globals', '--no-cache'];
const cargo = ['test', '--offline', '--color=never'];

/** tool -> name of the case -> [program, arguments, files, environment]. */
const CASES = {
  'node-test': {
    'green-spec': [NODE, spec, { 'a.test.mjs': NODE_GREEN }],
    'red-spec': [NODE, spec, { 'a.test.mjs': NODE_GREEN, 'b.test.mjs': NODE_RED }],
    'colour-spec': [NODE, spec, { 'a.test.mjs': NODE_RED }, { FORCE_COLOR: '1' }],
    'empty-spec': [NODE, spec, { 'a.mjs': '' }],
    'crashed-spec': [NODE, spec, { 'a.test.mjs': SYNTAX_ERROR }],
    'green-tap': [NODE, tap, { 'a.test.mjs': NODE_GREEN }],
    'red-tap': [NODE, tap, { 'a.test.mjs': NODE_GREEN, 'b.test.mjs': NODE_RED }],
    'empty-tap': [NODE, tap, { 'a.mjs': '' }],
    'crashed-tap': [NODE, tap, { 'a.test.mjs': SYNTAX_ERROR }],
    'two-runs': inTurn(`'${NODE}' ${spec.join(' ')} a`, `'${NODE}' ${tap.join(' ')} b`, {
      'a/a.test.mjs': NODE_GREEN,
      'b/b.test.mjs': NODE_RED,
    }),
  },
  vitest: {
    green: [VITEST, vitest, { 'a.test.js': BDD_GREEN }],
    red: [VITEST, vitest, { 'a.test.js': BDD_GREEN, 'b.test.js': BDD_RED }],
    colour: [VITEST, vitest, { 'a.test.js': BDD_RED }, { FORCE_COLOR: '1' }],
    empty: [VITEST, vitest, { 'a.js': '' }],
    'empty-allowed': [VITEST, [...vitest, '--passWithNoTests'], { 'a.js': '' }],
    crashed: [VITEST, vitest, { 'a.test.js': SYNTAX_ERROR }],
    'crashed-config': [
      VITEST,
      vitest,
      { 'vitest.config.js': 'throw new Error("no")', 'a.test.js': BDD_GREEN },
    ],
    'two-runs': inTurn(
      `'${VITEST}' ${vitest.join(' ')} --root a`,
      `'${VITEST}' ${vitest.join(' ')} --root b`,
      {
        'a/a.test.js': BDD_GREEN,
        'b/b.test.js': BDD_RED,
      },
    ),
  },
  jest: {
    green: [JEST, [], { 'package.json': '{}', 'a.test.js': BDD_GREEN }],
    red: [JEST, [], { 'package.json': '{}', 'a.test.js': BDD_GREEN, 'b.test.js': BDD_RED }],
    colour: [JEST, ['--colors'], { 'package.json': '{}', 'a.test.js': BDD_RED }],
    empty: [JEST, [], { 'package.json': '{}', 'a.js': '' }],
    'empty-allowed': [JEST, ['--passWithNoTests'], { 'package.json': '{}', 'a.js': '' }],
    crashed: [JEST, [], { 'package.json': '{}', 'a.test.js': SYNTAX_ERROR }],
    'crashed-config': [JEST, [], { 'package.json': '{}', 'jest.config.js': 'throw new Error("no")' }],
    'two-runs': inTurn(`'${JEST}' --rootDir a`, `'${JEST}' --rootDir b`, {
      'package.json': '{}',
      'a/a.test.js': BDD_GREEN,
      'b/b.test.js': BDD_RED,
    }),
  },
  mocha: {
    green: [MOCHA, ['a.test.js'], { 'a.test.js': MOCHA_GREEN }],
    'green-dot': [MOCHA, ['--reporter', 'dot', 'a.test.js'], { 'a.test.js': MOCHA_GREEN }],
    red: [MOCHA, ['a.test.js', 'b.test.js'], { 'a.test.js': MOCHA_GREEN, 'b.test.js': MOCHA_RED }],
    'red-hook': [MOCHA, ['a.test.js'], { 'a.test.js': MOCHA_HOOK }],
    colour: [MOCHA, ['--color', 'a.test.js'], { 'a.test.js': MOCHA_RED }],
    empty: [MOCHA, ['a.js'], { 'a.js': '' }],
    crashed: [MOCHA, ['a.test.js'], { 'a.test.js': SYNTAX_ERROR }],
    'two-runs': inTurn(`'${MOCHA}' a/a.test.js`, `'${MOCHA}' b/b.test.js`, {
      'a/a.test.js': MOCHA_GREEN,
      'b/b.test.js': MOCHA_RED,
    }),
  },
  unittest: {
    green: [PYTHON, unittest, { 'test_a.py': UNITTEST_GREEN }],
    red: [PYTHON, unittest, { 'test_a.py': UNITTEST_GREEN, 'test_b.py': UNITTEST_RED }],
    'red-subtests': [PYTHON, unittest, { 'test_a.py': UNITTEST_SUBTESTS }],
    'red-verbose': [PYTHON, [...unittest, '-v'], { 'test_a.py': UNITTEST_RED }],
    empty: [PYTHON, unittest, { 'a.py': '' }],
    crashed: [PYTHON, unittest, { 'test_a.py': SYNTAX_ERROR }],
  },
  pytest: {
    green: [PYTEST, [], { 'test_a.py': PY_GREEN }],
    'green-quiet': [PYTEST, ['-q'], { 'test_a.py': PY_GREEN }],
    'green-subtests': [PYTEST, ['-v'], { 'test_a.py': PY_SUBTESTS }],
    red: [PYTEST, [], { 'test_a.py': PY_GREEN, 'test_b.py': PY_RED }],
    colour: [PYTEST, ['--color=yes'], { 'test_a.py': PY_RED }],
    empty: [PYTEST, [], { 'a.py': '' }],
    crashed: [PYTEST, [], { 'test_a.py': SYNTAX_ERROR }],
    'crashed-usage': [PYTEST, ['--no-such-option'], { 'test_a.py': PY_GREEN }],
    'two-runs': inTurn(`'${PYTEST}' a`, `'${PYTEST}' b`, { 'a/test_a.py': PY_GREEN, 'b/test_b.py': PY_RED }),
  },
  'go-test': {
    green: [GO, ['test', './...'], { 'go.mod': GO_MOD, 'a_test.go': GO_GREEN, 'sub/sub.go': 'package sub' }],
    'green-verbose': [GO, ['test', '-v', './...'], { 'go.mod': GO_MOD, 'a_test.go': GO_GREEN }],
    'green-json': [GO, ['test', '-json', './...'], { 'go.mod': GO_MOD, 'a_test.go': GO_GREEN }],
    red: [GO, ['test', './...'], { 'go.mod': GO_MOD, 'a_test.go': GO_RED, 'sub/a_test.go': GO_GREEN }],
    'red-verbose': [
      GO,
      ['test', '-v', './...'],
      { 'go.mod': GO_MOD, 'a_test.go': GO_RED, 'sub/a_test.go': GO_GREEN },
    ],
    'red-json': [
      GO,
      ['test', '-json', './...'],
      { 'go.mod': GO_MOD, 'a_test.go': GO_RED, 'sub/a_test.go': GO_GREEN },
    ],
    empty: [GO, ['test', './...'], { 'go.mod': GO_MOD, 'a.go': 'package sums' }],
    'empty-none-chosen': [
      GO,
      ['test', '-run', 'Nothing', './...'],
      { 'go.mod': GO_MOD, 'a_test.go': GO_GREEN },
    ],
    'empty-json': [GO, ['test', '-json', './...'], { 'go.mod': GO_MOD, 'a.go': 'package sums' }],
    crashed: [GO, ['test', './...'], { 'go.mod': GO_MOD, 'a_test.go': `package sums\n${SYNTAX_ERROR}` }],
    'crashed-panic': [GO, ['test', './...'], { 'go.mod': GO_MOD, 'a_test.go': GO_PANIC }],
    'crashed-panic-json': [GO, ['test', '-json', './...'], { 'go.mod': GO_MOD, 'a_test.go': GO_PANIC }],
  },
  'cargo-test': {
    green: [CARGO, cargo, { 'Cargo.toml': CARGO_TOML, 'src/lib.rs': RUST_GREEN }],
    red: [
      CARGO,
      [...cargo, '--no-fail-fast'],
      { 'Cargo.toml': CARGO_TOML, 'src/lib.rs': RUST_GREEN, 'tests/b.rs': RUST_RED },
    ],
    colour: [
      CARGO,
      ['test', '--offline', '--color=always'],
      { 'Cargo.toml': CARGO_TOML, 'src/lib.rs': RUST_RED },
    ],
    empty: [CARGO, cargo, { 'Cargo.toml': CARGO_TOML, 'src/lib.rs': '' }],
    crashed: [CARGO, cargo, { 'Cargo.toml': CARGO_TOML, 'src/lib.rs': SYNTAX_ERROR }],
    'crashed-abort': [
      CARGO,
      [...cargo, '--', '--test-threads=1'],
      { 'Cargo.toml': CARGO_TOML, 'src/lib.rs': RUST_ABORT },
    ],
  },
  tap: {
    green: perl("plan tests => 3; ok(1, 'adds'); ok(1, 'adds more'); SKIP: { skip 'later', 1; }"),
    red: perl(
      "ok(1, 'adds'); ok(0, 'adds wrongly'); TODO: { local $TODO = 'some day'; ok(0, 'known'); } done_testing;",
    ),
    empty: perl("plan skip_all => 'nothing here';"),
    crashed: perl("plan tests => 3; ok(1, 'adds'); die 'no';"),
    'crashed-bail-out': perl("plan tests => 3; ok(1, 'adds'); BAIL_OUT('no disk');"),
  },
};

function perl(text) {
  return [PERL, ['a.t'], { 'a.t': `use Test::More;\n${text}\n` }];
}

function inTurn(first, second, files) {
  return ['sh', ['-c', `${first}; a=$?; ${second}; b=$?; exit $((a | b))`], files];
}

const chosen = process.argv.slice(2);
const index = fs.existsSync(INDEX) ? JSON.parse(fs.readFileSync(INDEX, 'utf8')) : {};
for (const [tool, cases] of Object.entries(CASES)) {
  if (chosen.length > 0 && !chosen.includes(tool)) continue;
  for (const [name, parts] of Object.entries(cases)) record(tool, name, parts);
}
fs.writeFileSync(INDEX, `${JSON.stringify(index, null, 2)}\n`);

function record(tool, name, [command, parameters, files, environment = {}]) {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'record-')));
  try {
    const project = path.join(directory, 'project');
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
      fs.writeFileSync(path.join(project, file), text);
    }
    const output = path.join(directory, 'output');
    const exitCode = run(command, parameters, project, output, environment);
    if (exitCode === undefined) return console.log(`${tool}/${name}: skipped, no ${command}`);
    fs.mkdirSync(path.join(FIXTURES, tool), { recursive: true });
    fs.writeFileSync(
      path.join(FIXTURES, tool, `${name}.txt`),
      neutral(fs.readFileSync(output, 'utf8'), project),
    );
    index[`${tool}/${name}`] = { command: neutral([command, ...parameters].join(' '), project), exitCode };
    console.log(`${tool}/${name}: exit code ${exitCode}`);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

/** Both streams into one file, in the order in which they were written. Undefined when there is no such program. */
function run(command, parameters, cwd, output, environment) {
  const descriptor = fs.openSync(output, 'w');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_|npm_|VITEST|JEST|CI$|NO_COLOR|FORCE_COLOR|GIT_)/.test(name),
  );
  const result = spawnSync(command, parameters, {
    cwd,
    env: { ...Object.fromEntries(inherited), GOFLAGS: '-count=1', ...environment },
    stdio: ['ignore', descriptor, descriptor],
  });
  fs.closeSync(descriptor);
  if (result.error !== undefined) return undefined;
  return result.status ?? 128;
}

/** Without the directories of the machine that recorded it. */
function neutral(text, project) {
  const tool =
    /\/[^\s'"`()]*\/(?=(node_modules\b|site-packages\b|lib\/python|share\/go-|lib\/go-|rustup\b|rustlib\b))/g;
  return text
    .replaceAll(project, '/project')
    .replaceAll(NODE, 'node')
    .replaceAll(tool, '/opt/')
    .replaceAll(/\/[^\s'"]*\/(vitest|jest|mocha|pytest|python|go|cargo|perl)(?=[\s'"]|$)/gm, '$1');
}
