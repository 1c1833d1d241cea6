import { isPushKnown } from '../app/notices/push-known.js';
import type { NoticeEvent } from '../notices/index.js';
import type { CommandContext } from './command.js';

/** How a command tells a person what it sees, whether they look at it or not. */
export interface CommandNotices extends AsyncDisposable {
  /** Something waits or ended. Never throws. */
  tell(event: NoticeEvent): void;
  /** An agent asks, as this command sees it: rings where nothing else is configured. */
  ring(): void;
  /** Told while a card is on a focused screen; absent where nobody wants to know. */
  readonly noteSeen?: ((question: string) => void) | undefined;
  /** Whether the bell of this terminal is rung here, so that no view need do it. */
  readonly ownsBell: boolean;
}

const BELL = '\x07';

/** Through the channels of the user's own config; without any, the bell of the terminal that the command is on. `isBrief`: it soon ends. */
export async function openNotices(
  { services, terminal, isJson }: CommandContext,
  { isBrief = false } = {},
): Promise<CommandNotices> {
  const { config } = services;
  const screen =
    terminal.hasScreen && !isJson ? { write: (text: string) => void process.stdout.write(text) } : undefined;
  const channels = Object.values(config.get('notices.channels'));
  const ownsBell = channels.some(({ type }) => type === 'terminal');
  const isRung = config.get('notices.bell') && !terminal.isQuiet && !ownsBell;
  const ring = () => (isRung ? screen?.write(BELL) : undefined);
  if (channels.length === 0 && !isPushKnown(services)) return bellAlone(ring);
  const { openNotices: open } = await import('../app/notices/open-notices.js');
  const notices = open(services, { screen, isBrief });
  return {
    tell(event) {
      notices.tell(event);
      ring();
    },
    // Who configured other channels alone still has a terminal.
    ring,
    noteSeen: (question) => notices.noteSeen(question),
    ownsBell,
    [Symbol.asyncDispose]: () => notices[Symbol.asyncDispose](),
  };
}

function bellAlone(ring: () => void): CommandNotices {
  return { tell: ring, ring, ownsBell: false, async [Symbol.asyncDispose]() {} };
}
