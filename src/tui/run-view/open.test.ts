import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENT } from '../../../test/support/deadlines.js';
import { type QuestionWorld, questionWorld } from '../../../test/support/question-world.js';
import { iterationEnd, runStart, standing } from '../../../test/support/run-events.js';
import type { ToldLine } from '../../models/run-view/index.js';
import type { RunEvent } from '../../run/index.js';
import { openRunView } from './open.js';

/** A terminal that remembers what was written to it and whether it is raw. */
class FakeTty extends PassThrough {
  readonly isTTY = true;
  columns = 80;
  rows = 24;
  isRaw = false;
  written = '';

  constructor() {
    super();
    this.on('data', (chunk: Buffer) => {
      this.written += chunk.toString();
    });
  }

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

function open(world: QuestionWorld, describeEvent: (event: RunEvent) => readonly ToldLine[]) {
  const [stdin, stdout, stderr] = [new FakeTty(), new FakeTty(), new FakeTty()];
  const failures: unknown[] = [];
  const controller = new AbortController();
  const interrupt = vi.fn();
  const view = openRunView({
    questions: world.other().sessions,
    clock: world.clock,
    send: async () => {},
    interrupt,
    describe: describeEvent,
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    hasColor: false,
    signal: controller.signal,
    onBroken: (error) => failures.push(error),
  });
  onTestFinished(() => view.close());
  const seen = (text: string) => vi.waitFor(() => expect(stdout.written).toContain(text), PATIENT);
  return { view, stdin, stdout, stderr, failures, seen, interrupt, stop: () => controller.abort() };
}

describe('the terminal of a run', () => {
  it('is taken over, and restored with the live part gone', async () => {
    await using world = await questionWorld();
    const { view, stdin, stdout, seen } = open(world, () => []);
    expect(stdin.isRaw).toBe(true);
    view.show(runStart());
    view.show(standing());
    await seen('RED ✓');
    view.show(iterationEnd());
    await view.close();
    expect(stdin.isRaw).toBe(false);
    const after = stdout.written.slice(stdout.written.lastIndexOf('? keys'));
    expect(after).toContain('\u001b[1A\u001b[2K');
    expect(after).toMatch(/\u001b\[\?25h\u001b\[\?7h\u001b\[\?2004l$/);
    expect(stdout.written).toContain('GREEN 2: 7 of 9 tests pass');
  });

  it('passes Ctrl+C to the signal handler, and says that it is stopping', async () => {
    await using world = await questionWorld();
    const { stdin, seen, stop, interrupt } = open(world, () => []);
    stdin.write('\u0003');
    await vi.waitFor(() => expect(interrupt).toHaveBeenCalledOnce(), PATIENT);
    stop();
    await seen("stopping: ending the agent's processes");
  });

  it('has warnings as lines, not across the frame', async () => {
    await using world = await questionWorld();
    const { view, stderr, seen } = open(world, () => []);
    stderr.write('holdfast: warning something\n');
    await seen('holdfast: warning something');
    expect(stderr.written).toBe('');
    await view.close();
    stderr.write('afterwards');
    await vi.waitFor(() => expect(stderr.written).toBe('afterwards'), PATIENT);
  });

  it('is restored when the view fails, and the run does not notice', async () => {
    await using world = await questionWorld();
    const { view, stdin, failures } = open(world, () => {
      throw new Error('a defect');
    });
    view.show(runStart());
    expect(view.isBroken).toBe(true);
    expect(stdin.isRaw).toBe(false);
    expect(failures).toEqual([new Error('a defect')]);
  });
});
