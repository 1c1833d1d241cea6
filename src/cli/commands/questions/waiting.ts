import { visibleJson } from '../../../foundation/index.js';
import { countWaiting } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { openQuestions } from '../../fleet.js';

const waiting = defineCommand({
  operation: countWaiting,
  usage: 'waiting',
  details:
    'One line, such as `3 waiting · oldest 12m`, and nothing at all when nothing is waiting. Exit code 0 either way.',
  options: { count: { type: 'boolean', about: 'only the number, even when it is 0' } },
  examples: ['holdfast waiting', 'holdfast waiting --count', 'holdfast waiting --json'],
  async run(context, { values }) {
    const { services, terminal, isJson } = context;
    await using open = await openQuestions(context, { isQuick: true });
    const found = await perform(context, countWaiting, open, {});
    const { count, oldestAt } = found;
    if (isJson) terminal.write(visibleJson(found));
    else if (values.count) terminal.write(String(count));
    else if (oldestAt !== null) {
      const ageMs = services.clock.now().getTime() - Date.parse(oldestAt);
      terminal.write(`${count} waiting · oldest ${ageOf(ageMs)}`);
    }
    return ExitCode.done;
  },
});

export const commands = [waiting];

/** An age in one word: `40s`, `12m`, `3h`, `2d`. */
function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
