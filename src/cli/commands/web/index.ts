import { counted, formatAge, visibleJson, visibleLine } from '../../../foundation/index.js';
import {
  linkWeb,
  listWebDevices,
  pairWeb,
  revokeWebDevices,
  stopWeb,
  type WebLink,
} from '../../../operations/web.js';
import { defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderTable } from '../../render/table.js';
import { pairCommand } from './pair.js';
import { serve } from './serve.js';
import { showLink } from './show-link.js';
import { webDesk } from './web-desk.js';

const web = defineCommand({
  usage: 'web',
  summary: 'Serve the page: what is waiting for you and what is working, in a browser',
  details:
    'Prints a link that signs one browser in, once and within two minutes. Only this machine can reach the page, unless you say\n' +
    'otherwise; docs/web.md says how to reach it from a phone or another machine, and what each way costs. Ctrl+C ends it.',
  options: {
    port: {
      type: 'number',
      value: '<port>',
      about: 'the port, from now on (default: the one it used last)',
    },
    open: { type: 'boolean', about: 'open it in the browser of this machine' },
    detach: { type: 'boolean', about: 'serve it in the background; `holdfast web stop` ends it' },
    bind: { type: 'string', value: '<address>', about: 'listen on this address, too; needs TLS or --behind' },
    tlsCert: { type: 'string', value: '<file>', about: 'certificate, for https' },
    tlsKey: { type: 'string', value: '<file>', about: 'its key' },
    behind: {
      type: 'strings',
      value: '<origin>',
      about: 'an origin where a proxy or tunnel shows it, such as https://host.example; several are allowed',
    },
    socket: { type: 'string', value: '<path>', about: 'listen on a Unix socket instead of a port' },
  },
  examples: [
    'holdfast web',
    'holdfast web --open',
    'holdfast web --detach',
    'holdfast web --behind https://laptop.tail1234.ts.net',
  ],
  run: (context, { values }) => serve(context, values),
});

const link = defineCommand({
  operation: linkWeb,
  usage: 'web link',
  details:
    'A link works in one browser, once. A newer one replaces it. It is made only in a person’s terminal, never where an agent\n' +
    'is working: whoever holds it answers for you.',
  options: {
    can: {
      type: 'string',
      value: '<what>',
      choices: ['view', 'answer', 'steer'],
      about: 'what it allows (default: answer)',
    },
  },
  examples: ['holdfast web link', 'holdfast web link --can view'],
  async run(context, { values }) {
    const { services, terminal, isJson } = context;
    const made = await perform(
      context,
      linkWeb,
      { desk: webDesk(services, terminal.isInteractive) },
      values.can === undefined ? {} : { can: values.can as WebLink['can'] },
    );
    if (isJson) terminal.write(visibleJson(made));
    else showLink(context, made);
    return ExitCode.done;
  },
});

const pair = defineCommand({
  operation: pairWeb,
  usage: 'web pair',
  details:
    'Shows a QR code and a code of 8 characters, valid for two minutes and five tries. When a device enters it, its name and the\n' +
    'four letters on its screen are shown here, and you say yes or no. An installed app takes the code, too.',
  options: {
    can: {
      type: 'string',
      value: '<what>',
      choices: ['view', 'answer', 'steer'],
      about: 'what the device will be able to do (default: answer)',
    },
  },
  examples: ['holdfast web pair', 'holdfast web pair --can steer'],
  run: (context, { values }) => pairCommand(context, values.can as WebLink['can'] | undefined),
});

const devices = defineCommand({
  operation: listWebDevices,
  usage: 'web devices [revoke] [device]',
  details: 'revoke signs one out, or all of them; what they have open ends at once.',
  options: {},
  examples: ['holdfast web devices', 'holdfast web devices revoke 3f2a', 'holdfast web devices revoke all'],
  async run(context, { positionals: [verb, device] }) {
    const { services, terminal, isJson } = context;
    const parts = { desk: webDesk(services, terminal.isInteractive) };
    if (verb !== undefined && verb !== 'revoke')
      throw new UsageError(`There is no \`web devices ${visibleLine(verb)}\``);
    if (verb === 'revoke') {
      if (device === undefined) throw new UsageError('Say which device: its id, or all');
      const revoked = await perform(context, revokeWebDevices, parts, { device });
      if (isJson) terminal.write(visibleJson(revoked));
      else terminal.write(`Signed out ${counted(revoked.length, 'device')}.`);
      return ExitCode.done;
    }
    const known = await perform(context, listWebDevices, parts, {});
    if (isJson) terminal.write(visibleJson(known));
    else if (known.length === 0) terminal.write('No browser has signed in yet.');
    else {
      const now = services.clock.now();
      const rows = known.map(({ id, name, can, state, seenAt, origin }) => [
        id.slice(0, 8),
        visibleLine(name),
        can,
        state,
        formatAge(now.getTime() - Date.parse(seenAt)),
        visibleLine(origin),
      ]);
      terminal.write(renderTable(['DEVICE', 'NAME', 'CAN', 'STATE', 'SEEN', 'WHERE'], rows));
    }
    return ExitCode.done;
  },
});

const stop = defineCommand({
  operation: stopWeb,
  usage: 'web stop',
  details:
    'Every server of the page that you started ends; browsers that are signed in stay signed in for the next one.',
  options: {},
  examples: ['holdfast web stop'],
  async run(context) {
    const { services, terminal, isJson } = context;
    const parts = { desk: webDesk(services, terminal.isInteractive) };
    const pids = await perform(context, stopWeb, parts, {});
    if (isJson) terminal.write(visibleJson({ stopped: pids }));
    else
      terminal.write(
        pids.length === 0 ? 'It did not stop.' : `Stopped serving the page (process ${pids.join(', ')}).`,
      );
    return pids.length === 0 ? ExitCode.failed : ExitCode.done;
  },
});

export const commands = [web, link, pair, devices, stop];
