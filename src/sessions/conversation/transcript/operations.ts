import * as z from 'zod';
import { defineOperation } from '../../../foundation/index.js';
import type {
  TranscriptFacts,
  TranscriptHits,
  TranscriptPage,
  TranscriptRecord,
  Transcripts,
} from './transcripts.js';

/** What the operations need: conversations that can be read page by page. */
export interface TranscriptParts {
  readonly transcripts: Transcripts;
}

const READ = { effect: 'read', capability: 'view', surfaces: ['page', 'fleet'] } as const;
const whole = () => z.int().nonnegative();

export const showTranscript = defineOperation({
  ...READ,
  name: 'conversation.show',
  summary: 'Show the agent, directory and length of a conversation',
  get input() {
    return z.strictObject({ session: z.string() });
  },
  get output() {
    return z.custom<TranscriptFacts>();
  },
  run: async ({ transcripts }: TranscriptParts, { session }) => transcripts.facts(session),
});

export const readTranscript = defineOperation({
  ...READ,
  name: 'conversation.read',
  summary: 'Read a page of a conversation, from an end, a place, a turn or a line',
  get input() {
    return z.strictObject({
      session: z.string(),
      place: z.union([
        z.strictObject({ from: z.enum(['start', 'end']) }),
        z.strictObject({ after: whole() }),
        z.strictObject({ before: whole() }),
        z.strictObject({ turn: whole() }),
        z.strictObject({ line: whole() }),
      ]),
    });
  },
  get output() {
    return z.custom<TranscriptPage>();
  },
  run: ({ transcripts }: TranscriptParts, { session, place }) => transcripts.read(session, place),
});

export const findInTranscript = defineOperation({
  ...READ,
  name: 'conversation.find',
  summary: 'Find words in a conversation, starting at a place',
  get input() {
    return z.strictObject({
      session: z.string(),
      words: z.string().min(1).max(200),
      after: whole().default(0),
    });
  },
  get output() {
    return z.custom<TranscriptHits>();
  },
  run: ({ transcripts }: TranscriptParts, { session, words, after }) =>
    transcripts.find(session, words, after),
});

export const showRecord = defineOperation({
  ...READ,
  name: 'conversation.record',
  summary: 'Show one record of a conversation as stored in its file',
  get input() {
    return z.strictObject({ session: z.string(), offset: whole() });
  },
  get output() {
    return z.custom<TranscriptRecord>();
  },
  run: async ({ transcripts }: TranscriptParts, { session, offset }) => transcripts.record(session, offset),
});

/** Every action of transcripts, for the registry. */
export const transcriptOperations = [showTranscript, readTranscript, findInTranscript, showRecord] as const;
