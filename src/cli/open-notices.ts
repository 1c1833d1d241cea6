import { isPushKnown } from '../app/notices/push-known.js';
import type { NoticeEvent } from '../notices/index.js';
import type { CommandContext } from './command.js';

/** How a command notifies a person of what it sees, whether or not they are looking. */
export interface CommandNotices extends AsyncDisposable {
  /** Something is waiting or has ended. Never throws. */
  tell(event: NoticeEvent): void;
  /** An agent asks, as seen by this command: rings if nothing else is configured. */
  ring(): void;
  /** Called while a card is on a focused screen; absent if nothing needs to know. */
  readonly noteSeen?: ((question: string) => void) | undefined;
  /** Whether this rings the terminal bell, so that no view has to. */
  readonly ownsBell: boolean;
}

const BELL = '\x07';

/** Notices through the channels of the user's config; without any, the bell of the command's terminal. `isBrief`: it ends soon. */
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
    // Configuring other channels does not take away the terminal.
    ring,
    noteSeen: (question) => notices.noteSeen(question),
    ownsBell,
    [Symbol.asyncDispose]: () => notices[Symbol.asyncDispose](),
  };
}

function bellAlone(ring: () => void): CommandNotices {
  return { tell: ring, ring, ownsBell: false, async [Symbol.asyncDispose]() {} };
}
