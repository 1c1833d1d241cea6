// Makes test/fixtures/0.1: homes and projects as release 0.1 leaves them, whole, damaged and half-done.
// It has been run once, with the binaries of that release; run it again only with them:
//   node scripts/make-fixtures-0.1.mjs <dist of release 0.1>
// Everything is written by the built programs and the scripted agent. What a crash or a bad disk leaves is made from
// those files: bytes of an earlier moment beside bytes of a later one, cut ends, overwritten middles.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const tree = fileURLToPath(new URL('..', import.meta.url));
const dist = realpathSync(process.argv[2] ?? join(tree, 'dist'));
const target = join(tree, 'test', 'fixtures', '0.1');
const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-fixtures-')));
const home = join(root, 'home');
const own = join(root, 'holdfast');
const questions = join(own, 'data', 'questions');
const conversations = join(home, '.aurora', 'spawn', 'sessions');
const environment = {
  PATH: process.env.PATH,
  HOME: home,
  HOLDFAST_HOME: own,
  TMPDIR: join(root, 'tmp'),
  LANG: 'C.UTF-8',
};
/** By a name of ours: the id that the fixture has. */
const index = {};

const PLAN = '# PRP: Adder\n\n### Success Criteria\n\n- [ ] adds\n- [ ] subtracts\n';
const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
const adder = () => import('../adder.mjs');
test('adds', async () => assert.equal((await adder()).add(2, 2), 4));
test('subtracts', async () => assert.equal((await adder()).subtract(5, 2), 3));
`;
const CODE = 'export const add = (a, b) => a + b;\nexport const subtract = (a, b) => a - b;\n';

const TASKS =
  '# Tasks\n\n## 1. Setup\n\n- [ ] 1.1 Make the table\n- [ ] 1.2 Choose the hash\n\n## 2. Finish\n\n- [ ] 2.1 Write the page\n';

for (const path of [home, environment.TMPDIR, join(own, 'config')]) mkdirSync(path, { recursive: true });
writeFileSync(
  join(own, 'config', 'config.json'),
  JSON.stringify({ question: { retentionDays: 36500 }, loop: { maxIterations: 50 } }, null, 2),
);
// A directory without a file would not be in the repository.
writeFileSync(join(project('website'), 'README.md'), '# Website\n');

makeQuestions();
await makeAskersThatDie();
await makeConversations();
await makeLoops();
makeChanges();
makeProcesses();
makeTrash();
// The last one: the next command that runs an agent would remove the record of what it left running.
await interruptChat('chat-left');
await endWhatIsLeft();
save();

// ---- question sets

function makeQuestions() {
  const cwd = project('website');
  const ask = (name, ...args) => {
    const set = { questions: [question(name)] };
    index[name] = holdfast(cwd, ['ask', JSON.stringify(set), '--no-wait', ...args]).stdout.trim();
    return index[name];
  };
  ask('pending', '--agent', 'claude', '--request-id', 'request-1');
  holdfast(cwd, ['answer', ask('answered'), '--option', 'Yes', '--text', 'but not on Fridays']);
  const collected = ask('collected');
  holdfast(cwd, ['answer', collected, '--option', '2']);
  holdfast(cwd, ['questions', 'collect', collected]);
  holdfast(cwd, ['answer', ask('rejected'), '--reject', '--reason', 'ask me tomorrow']);
  holdfast(cwd, ['questions', 'cancel', ask('withdrawn'), '--reason', 'decided otherwise']);
  ask('timed-out', '--timeout', '1ms');
  holdfast(cwd, ['questions', 'collect', index['timed-out']], { isFine: () => true });
  holdfast(cwd, ['answer', ask('late', '--timeout', '1ms'), '--option', 'No']);

  ask('draft');
  typeADraft(cwd, index.draft);

  // The answer was created, and the process died before it wrote the status.
  const half = ask('half-answered');
  const before = readFileSync(join(questions, half, 'status.json'));
  holdfast(cwd, ['answer', half, '--option', 'Yes']);
  writeFileSync(join(questions, half, 'status.json'), before);

  const answers = ask('damaged-answers');
  holdfast(cwd, ['answer', answers, '--option', 'Yes']);
  cutInHalf(join(questions, answers, 'answers.json'));
  const status = ask('damaged-status');
  cutInHalf(join(questions, status, 'status.json'));
  const request = ask('damaged-request');
  cutInHalf(join(questions, request, 'request.json'));

  // A set on its way when its maker died, and a file on its way.
  const staged = join(questions, '.holdfast', `${'ab'.repeat(4)}-abab-4bab-8bab-${'ab'.repeat(6)}.staged`);
  mkdirSync(staged, { recursive: true });
  copyFileSync(join(questions, index.pending, 'request.json'), join(staged, 'request.json'));
  writeFileSync(join(questions, index.pending, `.status.json.${'cd'.repeat(16)}.tmp`), '{"sess');
}

async function makeAskersThatDie() {
  const cwd = project('website');
  const set = JSON.stringify({ questions: [question('dead-asker')] });
  const known = new Set(readdirSync(questions));
  const asker = start(cwd, ['ask', set, '--agent', 'codex']);
  const id = await seen(() => readdirSync(questions).find((name) => !known.has(name) && isAsked(name)));
  index['dead-asker'] = id;
  await kill(asker);
}

function isAsked(id) {
  const path = join(questions, id, 'status.json');
  return existsSync(path) && readFileSync(path, 'utf8').includes('askerProcess');
}

function question(name) {
  return {
    title: name,
    prompt: `Deploy now? (${name})`,
    options: [{ label: 'Yes', description: 'at once' }, { label: 'No' }],
  };
}

/** What the inbox writes while somebody types, through a real terminal. */
function typeADraft(cwd, id) {
  const socket = join(root, 'tmux');
  const tmux = (...args) =>
    spawnSync('tmux', ['-u', '-S', socket, ...args], {
      cwd,
      env: { ...environment, TERM: 'xterm-256color' },
      encoding: 'utf8',
    });
  tmux(
    'new-session',
    '-d',
    '-x',
    '100',
    '-y',
    '30',
    `'${process.execPath}' '${dist}/cli/holdfast.cjs' inbox --session ${id}`,
  );
  const shows = (text) => until(() => tmux('capture-pane', '-p').stdout.includes(text));
  shows('Deploy now? (draft)');
  tmux('send-keys', 'Down');
  tmux('send-keys', 'Down');
  tmux('send-keys', 'Enter');
  tmux('send-keys', '-l', 'perhaps on Monday');
  until(
    () =>
      existsSync(join(questions, id, 'draft.json')) &&
      readFileSync(join(questions, id, 'draft.json'), 'utf8').includes('Monday'),
  );
  tmux('kill-server');
}

// ---- conversations

async function makeConversations() {
  const cwd = project('website');
  const chat = (name, lines) => {
    holdfast(cwd, ['chat', '--agent', 'scripted', '--session', name], { input: lines.join('\n') });
    index[name] = name;
    return join(conversations, `${name}.jsonl`);
  };
  chat('chat-completed', ['Hello, ä ö ü', 'What did I say?']);
  holdfast(cwd, ['chat', '--resume', 'chat-completed'], { input: 'And once more.' });

  await interruptChat('chat-interrupted');

  const middle = chat('chat-damaged', ['one', 'two', 'three']);
  const lines = readFileSync(middle, 'utf8').split('\n');
  const wrong = lines.findIndex((line) => line.includes('You said: one'));
  lines[wrong] = lines[wrong].replace('You said: one', 'You said: 0ne');
  writeFileSync(middle, lines.join('\n'));

  const torn = chat('chat-torn', ['one', 'two']);
  appendFileSync(torn, '{"type":"turn","role":"user","content":"thr');

  // By hand, in the published format.
  writeFileSync(
    join(conversations, 'chat-by-hand.jsonl'),
    '{"type":"metadata","session_id":"chat-by-hand","agent":"qa-test","created_at":"2026-01-20T10:00:00Z","status":"active"}\n' +
      '{"type":"turn","role":"user","content":"Hello","timestamp":"2026-01-20T10:00:01Z","tokens":2}\n',
  );
  index['chat-by-hand'] = 'chat-by-hand';
}

/** A chat that is killed in the middle of its second turn. */
async function interruptChat(name) {
  const running = start(project('website'), ['chat', '--agent', 'scripted', '--session', name]);
  const path = join(conversations, `${name}.jsonl`);
  running.stdin.write('Remember the word anchor\n');
  await seen(() => existsSync(path) && readFileSync(path, 'utf8').includes('You said'));
  running.stdin.write('wait for me\n');
  await seen(() => readFileSync(path, 'utf8').includes('wait for me'));
  await kill(running);
  index[name] = name;
}

// ---- loops

async function makeLoops() {
  const status = (isDone) => ({
    say: `\n---PRP_PHASE_STATUS---\nSTATUS: ${isDone ? 'COMPLETE' : 'IN_PROGRESS'}\nEXIT_SIGNAL: ${isDone}\n---END_PRP_PHASE_STATUS---\n`,
  });
  const write = (path, content) => ({ write: { path, content } });
  const red = {
    steps: [
      write('test/adder.test.mjs', TESTS),
      { usage: { input: 100, output: 20, cost: 0.01 } },
      status(true),
    ],
  };
  const green = { steps: [write('adder.mjs', CODE), status(true)] };
  const again = { steps: [status(true)] };
  const refactor = { steps: [write('adder.mjs', `// Plain sums.\n${CODE}`), status(true)] };
  const documents = {
    steps: [
      write('README.md', '# Adder\n'),
      write('docs/usage.md', '# Usage\n'),
      write('docs/decisions/0001-plain-numbers.md', '# Plain numbers\n'),
      status(true),
    ],
  };
  const whole = [red, green, again, refactor, documents];
  const hang = { steps: [{ say: 'I begin.' }, { hang: true }] };
  const command = ['run', 'docs/prps/adder.md', '--agent', 'scripted', '--verify', 'node --test', '--plain'];
  const play = (name, turns, onExhausted = 'repeat-last') => {
    const cwd = project(name);
    mkdirSync(join(cwd, 'docs', 'prps'), { recursive: true });
    writeFileSync(join(cwd, 'docs', 'prps', 'adder.md'), PLAN);
    writeFileSync(join(root, `${name}.script.json`), JSON.stringify({ turns, onExhausted }));
    return cwd;
  };
  const env = (name) => ({ HOLDFAST_SCRIPTED_SCRIPT: join(root, `${name}.script.json`) });
  const note = (name) => {
    const path = join(root, 'projects', name, '.prp-session', 'loop-state.json');
    index[name] = JSON.parse(readFileSync(path, 'utf8')).session_id;
  };
  /** Runs until something stands in the state, and kills it then. */
  const killWhen = async (name, isSo, args = []) => {
    const cwd = join(root, 'projects', name);
    const run = start(cwd, [...command, ...args], env(name));
    const state = join(cwd, '.prp-session', 'loop-state.json');
    // Not in the middle of a commit: that one is made on purpose below.
    const isCommitted = () => !existsSync(join(cwd, '.prp-session', 'redo.json'));
    await seen(() => existsSync(state) && isCommitted() && isSo(JSON.parse(readFileSync(state, 'utf8'))));
    await kill(run);
    note(name);
  };
  const finish = (name, args = [], isFine) => {
    holdfast(join(root, 'projects', name), [...command, ...args], { env: env(name), isFine });
    note(name);
  };
  const isWorking = (phase) => (state) => state.current_phase === phase && Boolean(state.in_flight);

  play('loop-created', [hang]);
  await killWhen('loop-created', (state) => state.current_phase === 'RED');
  play('loop-green-killed', [red, hang, ...whole.slice(1)]);
  await killWhen('loop-green-killed', isWorking('GREEN'));
  const asks = { steps: [{ ask: { questions: [question('loop-question')] } }, ...red.steps] };
  play('loop-paused-by-question', [asks, ...whole]);
  const known = new Set(readdirSync(questions));
  finish('loop-paused-by-question', [], (code) => code === 3);
  index['loop-question'] = readdirSync(questions).find((name) => !known.has(name));
  play('loop-halted', [{ steps: [status(false)] }]);
  finish('loop-halted', [], (code) => code === 6);
  play('loop-completed', whole);
  finish('loop-completed');
  play('loop-archived', whole);
  finish('loop-archived');
  writeFileSync(join(root, 'loop-archived.script.json'), JSON.stringify({ turns: [hang] }));
  await killWhen('loop-archived', isWorking('RED'), ['--new']);
  play('loop-guided', [hang, ...whole]);
  await killWhen('loop-guided', isWorking('RED'));
  holdfast(join(root, 'projects', 'loop-guided'), ['guide', 'Use plain numbers']);

  // A commit of which the record was written and half of the files were replaced.
  play('loop-redo', [{ steps: [{ delay: 1500 }, ...red.steps] }, hang, ...whole.slice(1)]);
  const session = join(root, 'projects', 'loop-redo', '.prp-session');
  const documentsOfLoop = [
    'loop-state.json',
    'circuit-breaker.json',
    'metrics.json',
    'rate-limit.json',
    'dual-gate.json',
  ];
  const old = {};
  let log = '';
  await killWhen('loop-redo', (state) => {
    if (isWorking('RED')(state)) {
      for (const name of documentsOfLoop) old[name] = readFileSync(join(session, name), 'utf8');
      log = existsSync(join(session, 'phase-status.log'))
        ? readFileSync(join(session, 'phase-status.log'), 'utf8')
        : '';
    }
    return isWorking('GREEN')(state);
  });
  const replaced = Object.fromEntries(
    documentsOfLoop.map((name) => [name, readFileSync(join(session, name), 'utf8')]),
  );
  const grown = readFileSync(join(session, 'phase-status.log'), 'utf8');
  const appended = { 'phase-status.log': { offset: Buffer.byteLength(log), text: grown.slice(log.length) } };
  writeFileSync(join(session, 'redo.json'), JSON.stringify({ version: 1, replaced, appended }));
  for (const name of documentsOfLoop.slice(2)) writeFileSync(join(session, name), old[name]);
  writeFileSync(join(session, 'phase-status.log'), log);

  play('loop-damaged', [hang]);
  await killWhen('loop-damaged', isWorking('RED'));
  cutInHalf(join(root, 'projects', 'loop-damaged', '.prp-session', 'loop-state.json'));
}

// ---- changes

function makeChanges() {
  const change = (name) => {
    const cwd = project(name);
    const folder = join(cwd, 'openspec', 'changes', 'add-login');
    mkdirSync(join(folder, 'specs', 'login'), { recursive: true });
    writeFileSync(
      join(folder, 'proposal.md'),
      '# Add login\n\n## Why\n\nPeople want in.\n\n## What Changes\n\n- a login\n',
    );
    writeFileSync(join(folder, 'tasks.md'), TASKS);
    writeFileSync(join(folder, 'design.md'), '# Design\n\nPlain passwords are hashed.\n');
    writeFileSync(
      join(folder, 'specs', 'login', 'spec.md'),
      '## ADDED Requirements\n\n### Requirement: Login\nThe system SHALL let people in.\n\n#### Scenario: Right password\n- **WHEN** the person logs in\n- **THEN** they are in\n',
    );
    const session = `session-of-${name}`;
    const call = (...args) => holdfast(cwd, ['change', ...args, '--session', session]);
    call('init', 'add-login');
    index[name] = session;
    return {
      cwd,
      call,
      design: join(folder, 'design.md'),
      claim: join(cwd, 'openspec', '.holdfast', 'changes', 'add-login', 'session.json'),
    };
  };
  change('change-claimed');
  const learned = change('change-learned');
  learned.call('next-story');
  learned.call('done', '1.1');
  learned.call('learn', 'The table needs an index', '--task', '1.1');

  for (const [name, isWritten] of [
    ['change-flush-begun', false],
    ['change-flush-written', true],
  ]) {
    const { cwd, call, design, claim } = change(name);
    call('next-story');
    call('learn', 'Hashing is slow');
    const [claimBefore, designBefore] = [readFileSync(claim, 'utf8'), readFileSync(design, 'utf8')];
    const twin = readFileSync(twinOf(index[name]), 'utf8');
    call('flush');
    const written = readFileSync(design, 'utf8');
    const block = written.slice(written.indexOf('### ')).trimEnd();
    rmSync(join(cwd, 'openspec', '.holdfast', 'ended'), { recursive: true, force: true });
    mkdirSync(join(cwd, 'openspec', '.holdfast', 'ended'));
    mkdirSync(dirname(claim), { recursive: true });
    const half = { ...JSON.parse(claimBefore), flush: { block, count_before: 0, up_to: 1 } };
    writeFileSync(claim, JSON.stringify(half, null, 2));
    writeFileSync(twinOf(index[name]), twin);
    if (!isWritten) writeFileSync(design, designBefore);
  }
  const ended = change('change-ended');
  ended.call('learn', 'Done is done');
  ended.call('flush');
}

function twinOf(session) {
  return join(environment.TMPDIR, 'ralph', 'sessions', `${session}.json`);
}

// ---- processes and trash

function makeProcesses() {
  const cwd = project('website');
  holdfast(cwd, ['exec', '--agent', 'scripted', 'say something']);
}

function makeTrash() {
  const cwd = project('website');
  holdfast(cwd, ['chat', '--agent', 'scripted', '--session', 'chat-deleted'], { input: 'Goodbye' });
  holdfast(cwd, ['sessions', 'delete', 'chat-deleted', '--yes']);
  const set = JSON.stringify({ questions: [question('deleted')] });
  index.deleted = holdfast(cwd, ['ask', set, '--no-wait']).stdout.trim();
  holdfast(cwd, ['answer', index.deleted, '--option', 'Yes']);
  holdfast(cwd, ['sessions', 'delete', index.deleted, '--yes']);
  index['chat-deleted'] = 'chat-deleted';
}

// ---- running things

function project(name) {
  const path = join(root, 'projects', name);
  mkdirSync(path, { recursive: true });
  return path;
}

function holdfast(cwd, args, { input = '', env = {}, isFine = (code) => code === 0 } = {}) {
  const result = spawnSync(process.execPath, [join(dist, 'cli', 'holdfast.cjs'), ...args], {
    cwd,
    input,
    env: { ...environment, ...env },
    encoding: 'utf8',
  });
  if (!isFine(result.status))
    throw new Error(`${args.join(' ')} in ${cwd}: ${result.status}\n${result.stdout}${result.stderr}`);
  return result;
}

function start(cwd, args, env = {}) {
  return spawn(process.execPath, [join(dist, 'cli', 'holdfast.cjs'), ...args], {
    cwd,
    env: { ...environment, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function kill(child) {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function seen(look) {
  for (let tries = 0; ; tries++) {
    const found = look();
    if (found) return found;
    if (tries > 1500) throw new Error(`never so: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function until(look) {
  for (let tries = 0; !look(); tries++) {
    if (tries > 300) throw new Error(`never so: ${look}`);
    spawnSync('sleep', ['0.05']);
  }
}

/** Agents whose supervisor was killed: they have our directory in their environment. */
async function endWhatIsLeft() {
  for (const pid of readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  )) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(root)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It is gone, or not ours to look at.
    }
  }
}

function cutInHalf(path) {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length >> 1));
}

// ---- what is kept

/** Nothing of this machine: paths, host and boot become placeholders; records keep checksums that fit. */
function save() {
  rmSync(target, { recursive: true, force: true });
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const words = [
    [dist, '{{DIST}}'],
    [root, '{{ROOT}}'],
    [process.execPath, '{{NODE}}'],
    [bootId, '0.1-boot-that-is-over'],
    [`"host":"${hostname()}"`, '"host":"{{HOST}}"'],
    [`"host": "${hostname()}"`, '"host": "{{HOST}}"'],
  ];
  for (const file of filesBelow(root)) {
    const path = relative(root, file);
    if (path.startsWith('tmux')) continue;
    // A .gitignore of ours would keep the fixtures out of the repository.
    const to = join(target, path.replaceAll('.gitignore', 'gitignore'));
    mkdirSync(dirname(to), { recursive: true });
    const bytes = readFileSync(file);
    const seed = seedOf(file);
    const lines = bytes
      .toString('latin1')
      .split('\n')
      .map((line) =>
        reseal(line, (text) => words.reduce((all, [from, word]) => all.replaceAll(from, word), text), seed),
      );
    writeFileSync(to, Buffer.from(lines.join('\n'), 'latin1'));
  }
  // Git keeps no directory without a file.
  const empty = emptyBelow(root).map((path) => relative(root, path));
  writeFileSync(join(target, 'empty-directories.json'), `${JSON.stringify(empty, null, 2)}\n`);
  writeFileSync(join(target, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
  rmSync(root, { recursive: true, force: true });
}

/** The id that the checksums of a log start from. */
function seedOf(file) {
  const trashed = /^\d+T\d+Z-(chat-.*)$/.exec(basename(file));
  if (trashed !== null) return crc32(trashed[1]);
  if (!file.endsWith('.jsonl')) return undefined;
  if (basename(file) !== 'requests.jsonl') return crc32(basename(file, '.jsonl'));
  const state = join(dirname(file), 'loop-state.json');
  return crc32(JSON.parse(readFileSync(state, 'utf8')).session_id);
}

/** Changes a line; where its checksum fitted, it fits again. */
function reseal(line, change, seed) {
  const changed = change(line);
  const match = /,"crc":"([0-9a-f]{8})"\}$/.exec(line);
  if (match === null || seed === undefined || changed === line) return changed;
  if (crc32(Buffer.from(line.slice(0, match.index), 'latin1'), seed) !== Number.parseInt(match[1], 16))
    return changed;
  const body = changed.slice(0, changed.length - match[0].length);
  return `${body},"crc":"${crc32(Buffer.from(body, 'latin1'), seed).toString(16).padStart(8, '0')}"}`;
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function emptyBelow(directory) {
  const entries = readdirSync(directory, { withFileTypes: true });
  if (entries.length === 0) return [directory];
  return entries.flatMap((entry) => (entry.isDirectory() ? emptyBelow(join(directory, entry.name)) : []));
}
