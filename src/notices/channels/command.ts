import type { ChannelSettings } from '../settings.js';
import type { Message } from '../words.js';
import type { Channel } from './channel.js';
import { findForNotice, type NoticePrograms, runForNotice } from './programs.js';

/** A program of the user's own, as an argument vector: no shell sees what is filled in. */
export function commandChannel(
  tools: NoticePrograms,
  { command }: Extract<ChannelSettings, { type: 'command' }>,
): Channel {
  const [program = '', ...args] = command;
  return {
    unfit: () =>
      findForNotice(tools, program) === undefined ? `${program} is not installed here` : undefined,
    async send(message) {
      await runForNotice(tools, [program, ...args.map((argument) => filledIn(argument, message))]);
      return null;
    },
  };
}

/** Each placeholder is filled once: what is filled in is not scanned again. */
function filledIn(argument: string, message: Message): string {
  const [first] = message.notices;
  const values: Readonly<Record<string, string>> = {
    id: message.id,
    kind: message.kind,
    title: message.title,
    body: message.body,
    machine: first?.machine ?? '',
    project: first?.project ?? '',
    agent: first?.agent ?? '',
    session: first?.shortId ?? '',
    question: first?.question ?? '',
  };
  return argument.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? visible(values[name] ?? '') : whole,
  );
}

/** An argument cannot contain NUL; everything else was made visible before. */
function visible(value: string): string {
  return value.replaceAll('\0', '');
}
