import { throwIfAborted } from '../../foundation/index.js';
import { runProgram } from '../../programs/index.js';
import type { AgentCapabilities, AgentDriver, DriverTools, StartOptions } from '../driver.js';
import { AgentNotStartedError } from '../errors.js';
import { CodexConnection } from './connection.js';

const CAPABILITIES: AgentCapabilities = {
  conversation: 'process-per-prompt',
  resume: 'exact',
  cancel: 'kill',
  streamsText: false,
  asksPermission: false,
  reportsUsage: true,
  reportsContextWindow: false,
  reportsCost: false,
  takesMcpServers: true,
};

const VERSION_TIMEOUT_MS = 5_000;

/** Codex as one `codex exec --json` process for each prompt. */
export const codexDriver: AgentDriver = {
  name: 'codex',
  capabilities: CAPABILITIES,
  async start(tools, options) {
    throwIfAborted(options.signal, 'The start of the agent');
    refuseForeignHandle(options);
    const version = await askVersion(tools, options);
    throwIfAborted(options.signal, 'The start of the agent');
    return new CodexConnection(tools, options, { capabilities: CAPABILITIES, version });
  },
};

/** No process runs before the first prompt; this one shows whether there is a program at all. */
async function askVersion(tools: DriverTools, options: StartOptions): Promise<string | null> {
  const { command, workingDirectory, environment } = options;
  const args = [...options.args, '--version'];
  const spec = { command, args, workingDirectory, environment };
  const { lines, exit } = await runProgram(tools, spec, VERSION_TIMEOUT_MS);
  if (exit.code !== 0) return null;
  return /\d+\.\d+\.\d+\S*/.exec(lines.join('\n'))?.[0] ?? null;
}

/** An id that begins with `-` would be an option. */
function refuseForeignHandle({ name = 'codex', resume: handle }: StartOptions): void {
  if (handle === undefined) return;
  if (handle.driver !== 'codex') {
    throw new AgentNotStartedError(name, `the conversation belongs to ${handle.driver}`);
  }
  if (!/^\w[\w-]*$/.test(handle.id)) throw new AgentNotStartedError(name, 'the id to resume is not one');
}
