import { describe, expect } from 'vitest';
import { converse } from '../support/agents.js';
import { failing } from './faults.js';
import { describeEdits, describeWords } from './permissions.js';
import { REAL_AGENTS } from './real-agents.js';
import { itDrives } from './stage.js';

/** Not the whole suite: it is slow and heavy, and what is special about it is that it does not come to an end. */
describe('the real opencode', () => {
  const { opencode } = REAL_AGENTS;

  // It ends its turn at the first denial.
  describeEdits(opencode, ['{{cwd}}/.git/hooks/pre-commit']);
  describeWords(opencode);

  itDrives(opencode, 'answers, twice', [{ text: 'One.' }, { text: 'Two.' }], async ({ start, model }) => {
    const connection = await start();
    const turns = [await converse(connection, 'the first prompt'), await converse(connection, 'the second')];
    expect(turns.map(({ reason, text }) => [reason, text])).toEqual([
      ['completed', 'One.'],
      ['completed', 'Two.'],
    ]);
    expect(model.requests().at(-1)?.lacks(['the first prompt', 'One.', 'the second'])).toEqual([]);
  });

  itDrives(
    opencode,
    'is stopped when it goes round in circles because its context is too long',
    failing('context_overflow', 'always'),
    async ({ start, model }) => {
      const turn = await converse(await start(), 'go');
      expect(turn.reason).toBe('context-overflow');
      expect(model.requests().length).toBeLessThan(30);
    },
  );
});
