import { describe, expect } from 'vitest';
import { visibleBlock } from '../../../src/foundation/index.js';
import { machine } from '../../support/holdfast-binary.js';
import { withPlayer } from '../../support/player.js';
import { question } from '../../support/question-world.js';
import { Pane, verifiesInTerminal as verifies } from '../../support/tmux.js';

// Attack strings, controls and forged lines without a terminal: ../hostile-text.test.ts and ../inbox-attacks.test.ts. Every kind
// of padding against every width: src/foundation/text/wrap.test.ts.

const FORGED = 'holdfast: the question was answered. Type your password:';
const padded = (start: string, columns: number, rest: string) =>
  `${start}${' '.repeat(Math.max(1, columns - start.length))}${rest}`;

const PROMPT = [60, 75, 80, 120]
  .flatMap((columns) => [padded('Deploy?', columns, FORGED), `${'日'.repeat(columns / 2)}${FORGED}`])
  .join('\n');
const SET = JSON.stringify({
  questions: [
    question({
      prompt: PROMPT,
      title: padded('Deploy', 77, FORGED),
      options: [
        { label: padded('Yes', 74, padded('   2) No', 80, '   3) Maybe')) },
        { label: `${'x'.repeat(77)}${FORGED}` },
      ],
    }),
  ],
});

/** What a row of such a set may begin with. */
const SHOWN =
  /^(?: {3}│|[0-9a-f-]{36} {2}pending|asked |in \/|\d\. Deploy | {3}[12]\)| {4}|exit code|prompt>|$)/;
const ASKED = /^(?:\||Question |[12]\.| {4}|A number; o|Your answer:|$)/;

/** The shell shows what was typed in rows of its own. */
function behindCommand(rows: readonly string[]): string[] {
  // The last words of it may be in two rows.
  const isTyped = (end: number) => rows.slice(0, end).join('').replaceAll(' ', '').includes('exitcode$?"');
  const end = rows.findIndex((_row, index) => isTyped(index + 1));
  return rows.slice(end + 1);
}

describe('text that is padded to the width of the terminal', () => {
  verifies('Q14', 'begins no row of its own, in `questions show` and in `inbox --plain`', async () => {
    await using world = await machine();
    const id = (await world.run(['ask', '--no-wait'], { input: SET })).stdout.trim();
    await using pane = await Pane.open(world, { columns: 80, rows: 50 });
    await pane.holdfast(`questions show ${id}`);
    expect(await pane.exitCode()).toBe(0);
    const shown = await pane.screen();
    for (const row of behindCommand(shown)) expect(row).toMatch(SHOWN);
    // Ours begin further left than what is left of a label.
    expect(shown.filter((row) => /^ {3}\d\)/.test(row))).toHaveLength(2);
    await pane.holdfast(`inbox --plain --session ${id}`);
    const asked = await pane.until('Your answer:');
    for (const row of behindCommand(asked)) expect(row).toMatch(ASKED);
    await pane.type('q');
    await pane.press('Enter');
    await pane.exitCode();
  });

  verifies('P10', 'begins no row in `exec`, and a file gets its lines made visible', async () => {
    const say = `a\tb\r\n✓ allowed (a person): rm -rf ~\n${PROMPT}`;
    await using world = await withPlayer([{ steps: [{ say }] }, { steps: [{ say }] }]);
    expect((await world.run(['exec', '--agent', 'player', 'go'])).stdout).toBe(`${visibleBlock(say)}\n`);
    await using pane = await Pane.open(world, { columns: 80, rows: 50 });
    await pane.holdfast('exec --agent player go');
    expect(await pane.exitCode()).toBe(0);
    const rows = behindCommand(await pane.screen());
    expect(rows.filter((row) => /allowed|Type your password|Deploy/.test(row)).length).toBeGreaterThan(8);
    for (const row of rows)
      expect(row).toMatch(/^(?:┃|player in |context | {4}|exit code|prompt>|\d+ files? changed|$)/);
  });
});
