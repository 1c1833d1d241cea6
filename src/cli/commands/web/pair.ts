import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { pairWeb, type WebLink } from '../../../operations/web.js';
import type { CommandContext } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import type { PairingPerson, ShownPairing } from './pair-device.js';
import { webDesk } from './web-desk.js';

/** `holdfast web pair`: shows the code, asks about the device that enters it, and shows the result. */
export async function pairCommand(
  context: CommandContext,
  can: WebLink['can'] | undefined,
): Promise<ExitCode> {
  const { services, terminal, isJson } = context;
  const desk = webDesk(services, terminal.isInteractive, personAt(context));
  const paired = await perform(context, pairWeb, { desk }, can === undefined ? {} : { can });
  if (isJson) terminal.write(visibleJson(paired));
  else
    terminal.write(
      `Paired ${visibleLine(paired.name)}: it can ${paired.can}. \`holdfast web devices\` shows it.`,
    );
  return ExitCode.done;
}

function personAt(context: CommandContext): PairingPerson {
  const { terminal } = context;
  return {
    show: (pairing) => show(context, pairing),
    async confirm({ name, address, check }) {
      terminal.complain(
        `${visibleLine(name)} asks to pair, from ${visibleLine(address)}. Its screen shows ${visibleLine(check)}.`,
      );
      const answer = await terminal.ask('Is it yours, and does it show the same? [y/N] ');
      return answer !== null && /^y(es)?$/i.test(answer.trim());
    },
    wait: () => terminal.note('Waiting for it to sign in …'),
  };
}

/** Both sides together. */
const QUIET_COLUMNS = 8;

async function show(
  { terminal }: CommandContext,
  { code, origin, isReachable, port }: ShownPairing,
): Promise<void> {
  const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
  if (isReachable) {
    const { qrCode, qrLines } = await import('../../render/qr-code.js');
    const modules = qrCode(`${origin}/#pair=${code}`);
    if (modules.length + QUIET_COLUMNS <= terminal.columns)
      for (const line of qrLines(modules, terminal.hasColor)) process.stderr.write(`${line}\n`);
    else terminal.complain('(No QR code: the window is too narrow for it.)');
    terminal.complain(`Scan it with the phone, or open ${visibleLine(origin)} there and type the code:`);
  } else {
    terminal.complain(
      `Only this machine can reach the page, so a phone cannot. Ways to change that (docs/web.md):`,
    );
    terminal.complain(
      `  Tailscale   tailscale serve --bg http://127.0.0.1:${port ?? '<port>'}\n` +
        '              holdfast web --behind https://<machine>.<tailnet>.ts.net\n' +
        '  your proxy  holdfast web --behind https://host.example',
    );
    terminal.complain(`In a browser that can reach it, open ${visibleLine(origin)} there and type the code:`);
  }
  terminal.complain(`\n    ${shown}\n`);
  terminal.complain('It is valid for two minutes and five tries. Ctrl+C ends it.');
}
