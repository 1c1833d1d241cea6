import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/agents.js';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { RecordingLog } from '../../../test/support/recording-log.js';
import { iterationEnd, iterationStart, standing, toolCall } from '../../../test/support/run-events.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import type { AgentEvent } from '../../agents/index.js';
import { LockLostError } from '../../storage/index.js';
import type { RunEvent } from './events.js';
import { type JournalLimits, RunJournal } from './journal.js';
import { journalPlace } from './journal-place.js';
import { followJournal, JournalReader } from './read-journal.js';

const ID = '0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77';
const END: AgentEvent = { type: 'turn-end', reason: 'completed', message: null };
const SECRET = `sk-ant-api03-${'aB3dE5gH7jK9mN1pQ'.repeat(3)}`;
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow'.repeat(20)}\n-----END RSA PRIVATE KEY-----\n`;

const says = (text: string): RunEvent => ({ type: 'agent', event: { type: 'text', text } });
const does = (event: AgentEvent): RunEvent => ({ type: 'agent', event });

async function journalWorld(limits?: JournalLimits) {
  const dir = await tempDir();
  const fileSystem = new FailingFileSystem();
  const log = new RecordingLog();
  const tools = storageTools({ fileSystem, log });
  const runs = dir.at('runs');
  const lock = { isHeld: true, assertHeld: () => lock.isHeld || lost() };
  const open = () => RunJournal.open(tools, { runs, sessionId: ID, lock, limits });
  const { path, directory } = journalPlace(runs, ID);
  const read = (from?: number) =>
    new JournalReader({ fileSystem, log, path, sessionId: ID, from }).read().map(({ event }) => event);
  return {
    dir,
    runs,
    path,
    directory,
    fileSystem,
    log,
    tools,
    lock,
    open,
    read,
    text: () => readFileSync(path, 'utf8'),
    /** What the agent said, as the journal has it. */
    said: () => read().flatMap((event) => (event.type === 'agent' ? textOf(event.event) : [])),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

function lost(): never {
  throw new LockLostError('loop.lock', 1);
}

function textOf(event: AgentEvent): string[] {
  return event.type === 'text' ? [event.text] : [];
}

describe('the journal of a run', () => {
  it('tells a transition only after it is synced, with everything before it, in one write', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    const calls: string[][] = [];
    journal.follow(journal.start, ({ event }) => {
      const last = world.fileSystem.calls.filter(({ name }) => name === 'write' || name === 'syncData');
      calls.push([event.type, last.at(-1)?.name ?? '']);
    });
    world.fileSystem.calls.length = 0;
    journal.record(says('a line\n'));
    journal.record(toolCall('Bash', 'make'));
    journal.record(iterationEnd());
    expect(calls).toEqual([
      ['agent', 'syncData'],
      ['agent', 'syncData'],
      ['iteration-end', 'syncData'],
    ]);
    expect(world.fileSystem.calls.filter(({ name }) => name === 'syncData')).toHaveLength(1);
  });

  it('has the start of an iteration on disk before its prompt is sent', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    journal.record(iterationStart());
    const written = world.fileSystem.calls.filter(({ name }) => name === 'write' || name === 'syncData');
    expect(written.at(-1)?.name).toBe('syncData');
    expect(world.read().map(({ type }) => type)).toEqual(['iteration-start']);
  });

  it('commits less urgent events on its own, and tells them then', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    const told: string[] = [];
    journal.follow(journal.start, ({ event }) => told.push(event.type));
    journal.record(toolCall('Bash', 'make'));
    journal.record(says('a line\n'));
    expect(told).toEqual([]);
    await eventually(() => told.length === 2);
    expect(world.read().map(({ type }) => type)).toEqual(['agent', 'agent']);
  });

  it('continues over restarts, and numbers the start of each', async () => {
    await using world = await journalWorld();
    {
      using journal = world.open();
      expect(journal.start).toBe(1);
      journal.record(says('left behind'));
    }
    using journal = world.open();
    expect(journal.start).toBe(2);
    journal.record(iterationEnd());
    expect(world.read().map(({ type }) => type)).toEqual(['agent', 'iteration-end']);
    expect(world.read(journal.start)).toEqual([iterationEnd()]);
    const [header] = world.text().split('\n');
    expect(JSON.parse(header ?? '')).toMatchObject({ type: 'journal', version: 1, sessionId: ID, seq: 0 });
  });

  it('mends an end torn by a crash, and keeps the torn bytes', async () => {
    await using world = await journalWorld();
    world.open()[Symbol.dispose]();
    const { appendFileSync } = await import('node:fs');
    appendFileSync(world.path, '{"type":"iteration-end","at":"2026');
    using journal = world.open();
    journal.record(iterationEnd());
    expect(world.read()).toEqual([iterationEnd()]);
    expect(readdirSync(world.directory).some((name) => name.includes('.damaged-'))).toBe(true);
    expect(world.log.named('run.journal-mended')).toHaveLength(1);
  });

  it('does not build a path from an invalid id', () => {
    expect(journalPlace('/runs', ID).path).toBe(`/runs/${ID}/events.jsonl`);
    expect(journalPlace('/runs', '../../etc').path).toMatch(/^\/runs\/other-[0-9a-f]{32}\/events\.jsonl$/);
  });

  it('is not written by a process that lost the session', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    world.lock.isHeld = false;
    expect(() => journal.record(iterationEnd())).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    expect(journal.failure.aborted).toBe(true);
    expect(world.read()).toEqual([]);
  });
});

describe('what an agent says in a journal', () => {
  it('is joined into whole lines, without the secrets in them', async () => {
    await using world = await journalWorld();
    {
      using journal = world.open();
      for (const piece of ['the key is ', SECRET.slice(0, 20), SECRET.slice(20), ' and\nmore', ' of it\nno'])
        journal.record(says(piece));
      journal.record(does(END));
    }
    expect(world.said()).toEqual(['the key is [redacted:anthropic-key] and\n', 'more of it\n', 'no']);
    expect(world.text()).not.toContain('aB3dE5gH7jK9mN1pQ');
  });

  it('holds a private key back until it is whole', async () => {
    await using world = await journalWorld();
    {
      using journal = world.open();
      for (const line of `here\n${KEY}so`.split(/(?<=\n)/)) journal.record(says(line));
    }
    expect(world.said()).toEqual(['here\n', '[redacted:private-key]\n', 'so']);
  });

  it('keeps its place among other events, and separate from what it thinks', async () => {
    await using world = await journalWorld();
    {
      using journal = world.open();
      journal.record(says('I look'));
      journal.record(toolCall('Bash', 'ls'));
      journal.record(does({ type: 'thinking', text: 'hm' }));
      journal.record(says('done'));
      journal.record(does(END));
    }
    const types = world.read().map((event) => (event.type === 'agent' ? event.event.type : event.type));
    expect(types).toEqual(['text', 'tool-call', 'thinking', 'text', 'turn-end']);
  });

  it('is also recorded as a partial line when the agent pauses there', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    journal.record(says('I begin'));
    await eventually(() => world.said().length > 0);
    expect(world.said()).toEqual(['I begin']);
  });

  it('is left out beyond the limit of a turn; what it does is not, and the next turn starts afresh', async () => {
    await using world = await journalWorld({ turnBytes: 2_000, runBytes: 1_000_000 });
    const long = `${'x'.repeat(1_500)}\n`;
    const result = { type: 'tool-result', id: 'c1', isError: false, output: long } as const;
    {
      using journal = world.open();
      for (const event of [
        says(long),
        says(long),
        says('unheard\n'),
        does(result),
        does(END),
        says('heard\n'),
      ])
        journal.record(event);
    }
    expect(world.said()).toEqual([long, long, 'heard\n']);
    expect(world.read()).toContainEqual({ type: 'text-capped', scope: 'turn', limitBytes: 2_000 });
    expect(world.read()).toContainEqual(does({ ...result, output: '' }));
  });

  it('is left out for good beyond the limit of a run, across its restarts', async () => {
    await using world = await journalWorld({ turnBytes: 1_000_000, runBytes: 2_000 });
    for (const text of ['a', 'b', 'c']) {
      using journal = world.open();
      journal.record(says(`${text.repeat(1_500)}\n`));
      journal.record(does(END));
    }
    expect(world.said().map(([first]) => first)).toEqual(['a', 'b']);
    const capped = { type: 'text-capped', scope: 'run', limitBytes: 2_000 };
    expect(world.read().filter(({ type }) => type === 'text-capped')).toEqual([capped]);
  });

  it('that is much too long for one event is cut, and says so', async () => {
    await using world = await journalWorld();
    {
      using journal = world.open();
      journal.record(does({ type: 'tool-result', id: 'c1', isError: false, output: 'x'.repeat(20_000) }));
    }
    expect(world.text()).toContain('… (3616 more characters)');
  });
});

describe('a disk that takes no more', () => {
  it('loses what the agent says and reports that, and the run continues', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    world.fileSystem.arm({ fault: 'ENOSPC', at: 1, only: ['write'] });
    journal.record(says('lost\n'));
    await eventually(() => world.log.named('run.journal-text-lost').length > 0);
    expect(journal.failure.aborted).toBe(false);
    journal.record(iterationEnd());
    expect(world.read()).toEqual([{ type: 'text-lost', events: 1 }, iterationEnd()]);
  });

  it.each(['write', 'syncData'] as const)('ends the run where a transition fails (%s)', async (only) => {
    await using world = await journalWorld();
    using journal = world.open();
    world.fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: [only] });
    expect(() => journal.record(iterationEnd())).toThrow(expect.objectContaining({ code: 'STORAGE_FAILED' }));
    world.fileSystem.arm(undefined);
    expect(() => journal.record(iterationEnd())).toThrow(expect.objectContaining({ code: 'STORAGE_FAILED' }));
    expect(world.read()).toEqual([]);
  });

  it('throws only at the run itself, which is told by a signal', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    const told: unknown[] = [];
    journal.failure.addEventListener('abort', () => told.push(journal.failure.reason));
    world.fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: ['write'] });
    journal.note({ type: 'question', sessionId: ID, title: 't', prompt: 'p', from: 'agent' });
    world.fileSystem.arm(undefined);
    expect(told).toMatchObject([{ code: 'STORAGE_FAILED' }]);
  });

  it('is noticed in time if it loses a transition that was due to be told later', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    world.fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: ['write'] });
    journal.record(standing());
    await eventually(() => journal.failure.aborted);
    world.fileSystem.arm(undefined);
  });
});

describe('a follower of a journal', () => {
  it('from another process is told every event once, through the directory', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    journal.record(iterationEnd({ iteration: 1 }));
    const { tools, path, directory } = world;
    const told: number[] = [];
    const watch = followJournal(
      {
        ...tools,
        path,
        sessionId: ID,
        from: journal.start,
        hints: (onHint) => tools.watcher.watch(directory, onHint),
      },
      ({ seq }) => told.push(seq),
    );
    expect(told).toEqual([1]);
    journal.record(iterationEnd({ iteration: 2 }));
    await eventually(() => told.length === 2);
    journal.record(iterationEnd({ iteration: 3 }));
    await eventually(() => told.length === 3);
    watch.close();
    expect(told).toEqual([1, 2, 3]);
  });

  it('is not misled by a record that was taken back', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    const { path, fileSystem, log } = world;
    const reader = new JournalReader({ fileSystem, log, path, sessionId: ID });
    journal.record(iterationEnd({ iteration: 1 }));
    expect(reader.read()).toHaveLength(1);
    const { truncateSync, statSync, appendFileSync } = await import('node:fs');
    const { size } = statSync(path);
    appendFileSync(path, `${'y'.repeat(500)}\n`);
    expect(reader.read()).toEqual([]);
    truncateSync(path, size);
    journal.record(iterationEnd({ iteration: 2 }));
    expect(reader.read().map(({ event }) => event)).toEqual([iterationEnd({ iteration: 2 })]);
    expect(reader.read()).toEqual([]);
  });

  it('is told in order although it causes more events itself', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    const told: number[] = [];
    journal.follow(journal.start, ({ seq, event }) => {
      if (event.type === 'iteration-start') journal.record(iterationEnd());
      told.push(seq);
    });
    journal.record(iterationStart());
    journal.record(says('x\n'));
    journal.record(iterationEnd());
    expect(told).toEqual([1, 2, 3, 4]);
  });

  it('that fails is not called again, and the run does not notice', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    journal.follow(journal.start, () => {
      throw new Error('a broken screen');
    });
    journal.record(iterationEnd());
    journal.record(iterationEnd());
    expect(world.log.named('run.listener-failed')).toHaveLength(1);
    expect(world.read()).toHaveLength(2);
  });

  it('skips what a later release wrote and it does not know', async () => {
    await using world = await journalWorld();
    using journal = world.open();
    journal.record({ type: 'something-new' } as never);
    journal.record(iterationEnd());
    expect(world.read()).toEqual([iterationEnd()]);
  });
});
