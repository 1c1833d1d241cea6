import { columnsOf, visibleLine } from '../../foundation/index.js';
import type { ChannelSettings } from '../settings.js';
import type { Message } from '../words.js';
import type { Channel } from './channel.js';
import { findForNotice, type NoticePrograms, runForNotice } from './programs.js';

/** The screen of this process, if it has one. */
export interface Screen {
  write(text: string): void;
}

/** How a terminal shows a notification; `none` cannot, and only gets the bell. */
type Way = 'osc9' | 'osc777' | 'osc99' | 'none';

const BEL = '\x07';
const ST = '\x1b\\';
const SAVE_TITLE = '\x1b[22;2t';
const RESTORE_TITLE = '\x1b[23;2t';
const MAX_COLUMNS = 200;

/**
 * The terminal that one of our views is on: the bell, that terminal's notification, and the number of waiting questions in
 * its title. Nothing here moves the cursor, so a view may be on the screen.
 */
export function terminalChannel(
  tools: NoticePrograms & { readonly screen: Screen | undefined },
  settings: Extract<ChannelSettings, { type: 'terminal' }>,
): Channel {
  const { screen, environment } = tools;
  const isDumb = environment.TERM === undefined || environment.TERM === 'dumb';
  const way = isDumb ? 'none' : wayOf(environment);
  const hasTitle = settings.title !== false && !isDumb;
  /** The questions counted in the title, by the id of the message about them. */
  const waiting = new Map<string, string>();
  let isTitleOurs = false;
  let passes: Promise<boolean> | undefined;
  const isLetThrough = () => {
    passes ??= environment.TMUX === undefined ? Promise.resolve(true) : tmuxPasses(tools);
    return passes;
  };
  const tell = async (sequence: string) => {
    if (sequence === '' || !(await isLetThrough())) return;
    screen?.write(environment.TMUX === undefined ? sequence : throughTmux(sequence));
  };
  const showTitle = () => {
    if (!hasTitle || (waiting.size === 0 && !isTitleOurs)) return;
    if (waiting.size === 0) screen?.write(RESTORE_TITLE);
    else screen?.write(`${isTitleOurs ? '' : SAVE_TITLE}\x1b]2;(${waiting.size}) holdfast${BEL}`);
    isTitleOurs = waiting.size > 0;
  };
  const close = async (question: string) => {
    const id = waiting.get(question);
    if (!waiting.delete(question) || id === undefined) return;
    showTitle();
    if (way === 'osc99') await tell(`\x1b]99;i=${id}:p=close;${ST}`);
  };
  return {
    unfit: () => (screen === undefined ? 'none of our views is on a screen' : undefined),
    async send(message) {
      screen?.write(BEL);
      for (const { question } of message.notices) if (question !== null) waiting.set(question, message.id);
      showTitle();
      await tell(sequenceOf(way, message));
      return null;
    },
    async takeBack({ id }) {
      for (const [question, told] of [...waiting]) if (told === id) await close(question);
    },
    forget(isPending) {
      for (const question of [...waiting.keys()]) if (!isPending(question)) void close(question);
    },
    close() {
      waiting.clear();
      showTitle();
    },
  };
}

function sequenceOf(way: Way, { id, title, body }: Message): string {
  const [first = ''] = body.split('\n');
  switch (way) {
    case 'osc9':
      return `\x1b]9;${plain(title)}${BEL}`;
    case 'osc777':
      // Its fields are separated by semicolons.
      return `\x1b]777;notify;${plain(title).replaceAll(';', ',')};${plain(first)}${BEL}`;
    case 'osc99':
      return `\x1b]99;i=${id}:d=0;${plain(title)}${ST}\x1b]99;i=${id}:p=body;${plain(first)}${ST}`;
    case 'none':
      return '';
  }
}

/** Text that ends no sequence and is not longer than any terminal shows. */
function plain(text: string): string {
  const visible = visibleLine(text);
  return columnsOf(visible) <= MAX_COLUMNS ? visible : `${[...visible].slice(0, MAX_COLUMNS - 1).join('')}…`;
}

/** From the variables that terminals set; inside tmux from those inherited from the terminal outside. */
function wayOf(environment: Readonly<Record<string, string | undefined>>): Way {
  const { TERM = '', TERM_PROGRAM = '' } = environment;
  if (TERM === 'xterm-kitty' || environment.KITTY_WINDOW_ID !== undefined) return 'osc99';
  if (TERM_PROGRAM === 'ghostty' || environment.GHOSTTY_RESOURCES_DIR !== undefined) return 'osc777';
  if (TERM_PROGRAM === 'WezTerm' || environment.WEZTERM_PANE !== undefined) return 'osc777';
  if (TERM === 'foot' || TERM === 'foot-extra') return 'osc777';
  if (TERM_PROGRAM === 'iTerm.app' || environment.ITERM_SESSION_ID !== undefined) return 'osc9';
  if (TERM_PROGRAM === 'WarpTerminal' || TERM_PROGRAM === 'vscode') return 'osc9';
  return 'none';
}

/** Whether tmux passes a sequence on to the terminal outside; it does so only if its user allowed it. */
async function tmuxPasses(tools: NoticePrograms): Promise<boolean> {
  if (findForNotice(tools, 'tmux') === undefined) return false;
  try {
    const value = await runForNotice(tools, ['tmux', 'show-options', '-Apv', 'allow-passthrough']);
    return value.trim() === 'on' || value.trim() === 'all';
  } catch {
    return false; // a tmux that does not know the option passes nothing on
  }
}

function throughTmux(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}${ST}`;
}
