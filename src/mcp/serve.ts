import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { retain, type Services } from '../app/base.js';
import { messageOf } from '../foundation/index.js';
import { createMcpServer } from './tools.js';
import { DeliveringTransport } from './transport.js';

export interface ServeOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly version: string;
  /** Fires when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** Serves MCP on stdio until the client leaves or the signal fires; open questions stay answerable. */
export async function serveMcp(services: Services, options: ServeOptions): Promise<void> {
  const closing = new AbortController();
  const inFlight = new Set<Promise<unknown>>();
  const transport = new DeliveringTransport(options.stdin, options.stdout, () => closing.abort());
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled: Promise<unknown> = work.then(
      () => inFlight.delete(settled),
      () => inFlight.delete(settled),
    );
    inFlight.add(settled);
    return work;
  };
  const handle = serveStdio(
    () => createMcpServer({ services, transport, version: options.version, closing: closing.signal, track }),
    { transport, onerror: (error) => services.log.warn('mcp.error', { error: messageOf(error) }) },
  );
  void track(cleanQuietly(services));
  await firesFirst(options.signal, closing.signal);
  closing.abort();
  await handle.close();
  await Promise.all(inFlight);
}

/** Moves old sets to the trash; a failure here must not disturb the agent. */
async function cleanQuietly(services: Services): Promise<void> {
  try {
    const { questions } = services;
    const { retired, purged } = await retain(questions, services, { olderThanMs: questions.retentionMs });
    if (retired.length + purged.length === 0) return;
    services.log.warn('question.cleaned', { movedToTrash: retired, removedFromTrash: purged });
  } catch (error) {
    services.log.warn('question.clean-failed', { error: messageOf(error) });
  }
}

function firesFirst(...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any(signals);
    if (either.aborted) resolve();
    else either.addEventListener('abort', () => resolve(), { once: true });
  });
}
