import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  createFakeModel,
  type LogEntry,
  type ModelUsage,
  type Script,
} from '../support/fake-model/server.mjs';

/** What an agent asked the model, and how it was answered. */
export interface Request {
  /** Which of these texts the model was not told. */
  lacks(texts: readonly string[]): string[];
  /** Whatever in it is like this, in the order in which it stands there. */
  matches(pattern: RegExp): string[];
  /** What went wrong on purpose. */
  readonly fault: string | undefined;
}

/** A model on loopback that says what a test wants, reply by reply. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** The requests of the conversation, oldest first; those for titles and the like are left out. */
  requests(): Request[];
  /** What its replies said that they used, oldest first; `isWhole` is false for one that nobody heard to its end. */
  replies(): { readonly usage: ModelUsage; readonly isWhole: boolean }[];
}

/** `variables` are filled in for their names in double braces. */
export async function standIn(script: Script, variables: Record<string, string>): Promise<StandIn> {
  const log: LogEntry[] = [];
  const server = createFakeModel(script, { variables, log: (entry) => log.push(entry) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requestsIn(log),
    replies: () => repliesIn(log),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function repliesIn(log: readonly LogEntry[]): ReturnType<StandIn['replies']> {
  // Without tools it asks for a title; a rule may answer that like a prompt.
  const ofConversation = new Set(
    log.flatMap((entry) =>
      entry.kind === 'request' && JSON.stringify(entry.body)?.includes('"tools":') ? [entry.seq] : [],
    ),
  );
  return log.flatMap((entry) =>
    entry.kind === 'response' && ofConversation.has(entry.seq) && entry.usage !== undefined
      ? [{ usage: entry.usage, isWhole: entry.completed }]
      : [],
  );
}

function requestsIn(log: readonly LogEntry[]): Request[] {
  const requests = new Map(log.flatMap((entry) => (entry.kind === 'request' ? [[entry.seq, entry]] : [])));
  return log.flatMap((entry) => {
    if (entry.kind !== 'answer' || entry.answeredBy === 'side') return [];
    const body = JSON.stringify(requests.get(entry.seq)?.body);
    const isTold = (text: string) => body.includes(JSON.stringify(text).slice(1, -1));
    return [
      {
        fault: entry.fault,
        lacks: (texts) => texts.filter((text) => !isTold(text)),
        matches: (pattern) => [...body.matchAll(pattern)].map(([text]) => text),
      },
    ];
  });
}
