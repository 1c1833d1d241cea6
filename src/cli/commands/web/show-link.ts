import type { WebLink } from '../../../operations/web.js';
import type { CommandContext } from '../../command.js';

const CAN = {
  view: 'look, and change nothing',
  answer: 'answer and reject questions, and allow or deny once',
  steer: 'answer questions, allow for good, and pause, resume, stop and guide runs',
} as const;

/** Prints the link whole and alone, so that it can be copied, and a note about it separately. */
export function showLink({ terminal }: CommandContext, { links, can }: WebLink): void {
  for (const url of links) terminal.print(`${url}\n`);
  terminal.note(`It signs in one browser, once, within two minutes. That browser can ${CAN[can]}.`);
}
