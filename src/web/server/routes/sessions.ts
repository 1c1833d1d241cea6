import * as z from 'zod';
import {
  browseSessions,
  exportSession,
  recoverSession,
  SESSION_KINDS,
  verifySessions,
} from '../../../catalog/index.js';
import { checkInput, shellWord } from '../../../foundation/index.js';
import {
  findInTranscript,
  readTranscript,
  showRecord,
  showTranscript,
  type TranscriptFacts,
} from '../../../sessions/conversation/index.js';
import type { Exported, ReaderPage, Recovered, TranscriptHead, Verified } from '../../contract/sessions.js';
import { ExportTooLargeError } from '../errors.js';
import type { Call, Route } from './route.js';

const RUN = /^run-(.+)$/;
/** The limit of an export, which passes through memory as one text. */
const EXPORT_BYTES = 64 * 1024 * 1024;
const Kind = z.strictObject({ kind: z.enum(SESSION_KINDS) });

export const sessionRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/sessions',
    operations: [browseSessions],
    answer: ({ parts, query }) => browseSessions.run(parts, checkInput(browseSessions, given(query))),
  },
  {
    method: 'get',
    path: '/api/sessions/:id',
    operations: [showTranscript],
    async answer({ parts, id }): Promise<TranscriptHead> {
      const facts = await showTranscript.run(parts, checkInput(showTranscript, { session: id }));
      return { ...facts, command: commandOf(facts), run: RUN.exec(facts.id)?.[1] ?? null };
    },
  },
  {
    method: 'get',
    path: '/api/sessions/:id/turns',
    operations: [readTranscript],
    answer: readPage,
  },
  {
    method: 'get',
    path: '/api/sessions/:id/find',
    operations: [findInTranscript],
    answer: ({ parts, id, query }) =>
      findInTranscript.run(parts, checkInput(findInTranscript, { session: id, ...numbered(query) })),
  },
  {
    method: 'get',
    path: '/api/sessions/:id/record',
    operations: [showRecord],
    answer: ({ parts, id, query }) =>
      showRecord.run(parts, checkInput(showRecord, { session: id, ...numbered(query) })),
  },
  {
    method: 'get',
    path: '/api/sessions/:id/verify',
    operations: [verifySessions],
    async answer({ parts, id, query }): Promise<Verified> {
      const { kind } = checkInput({ input: Kind }, given(query));
      const catalog = await parts.shelf.catalogOf({ kind, id });
      const input = checkInput(verifySessions, { session: id, kind });
      const { sessions } = await verifySessions.run({ catalog }, input);
      return { faults: sessions[0]?.faults ?? [] };
    },
  },
  {
    method: 'get',
    path: '/api/sessions/:id/export',
    operations: [exportSession],
    async answer({ parts, id, query }): Promise<Exported> {
      const input = checkInput(exportSession, { session: id, ...given(query) });
      const { kind = 'conversation', format } = input;
      if (kind === 'conversation' && parts.transcripts.sizeOf(id) > EXPORT_BYTES)
        throw new ExportTooLargeError(id);
      const catalog = await parts.shelf.catalogOf({ kind, id });
      const { text, faults } = await exportSession.run({ catalog }, input);
      return { name: `${id.replaceAll(/[^\w.-]/g, '_')}.${format}`, text, faults };
    },
  },
  {
    method: 'post',
    path: '/api/sessions/:id/recover',
    operations: [recoverSession],
    body: Kind,
    audit: 'recover',
    async answer({ parts, id, body, context }): Promise<Recovered> {
      const { kind } = checkInput({ input: Kind }, body);
      const catalog = await parts.shelf.catalogOf({ kind, id });
      const input = checkInput(recoverSession, { session: id, kind });
      const { told, keptAt, found, left } = await recoverSession.run({ catalog }, input, context);
      parts.shelf.forget();
      return { told, keptAt, found, left };
    },
  },
];

async function readPage({ parts, id, query }: Call): Promise<ReaderPage> {
  const input = checkInput(readTranscript, { session: id, place: numbered(query) });
  const page = await readTranscript.run(parts, input);
  const whole = { ...page, isLive: parts.transcripts.isLive(id) };
  const run = RUN.exec(id)?.[1];
  if (run === undefined) return whole;
  return parts.runTools.place(
    run,
    whole,
    page.isStart ? null : parts.transcripts.turnTimeBefore(id, page.start),
  );
}

/** The command that resumes it, with its directory. */
function commandOf({ id, isOfRun, workingDirectory }: TranscriptFacts): string {
  const there = workingDirectory === null ? '' : `cd ${shellWord(workingDirectory)} && `;
  return isOfRun ? `${there}holdfast resume` : `${there}holdfast chat --resume ${shellWord(id)}`;
}

/** The parameters in the address, without empty ones. */
function given(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].filter(([, value]) => value !== ''));
}

const NUMBERS = ['after', 'before', 'turn', 'line', 'offset'];

function numbered(query: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given(query)).map(([name, value]) => [
      name,
      NUMBERS.includes(name) && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ]),
  );
}
