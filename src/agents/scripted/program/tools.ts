import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { children } from './children.js';
import type { Questioner } from './questioner.js';
import type { Tool, ToolOutcome } from './voice.js';

/** What tools work on. */
export interface Workplace {
  readonly directory: string;
  readonly questioner: Questioner;
}

/** Really uses a tool. A failure becomes its result, as with real agents. */
export async function applyTool(tool: Tool, workplace: Workplace, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    if (tool.type === 'run') return await runCommand(tool.command, workplace.directory, signal);
    if (tool.type === 'mcp') return await workplace.questioner.ask(tool, signal);
    if (tool.type === 'other') return success(`${tool.name} was allowed`);
    const path = resolve(workplace.directory, tool.path);
    if (tool.type === 'write') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, tool.content);
      return success(`File created successfully at: ${path}`);
    }
    const before = readFileSync(path, 'utf8');
    if (!before.includes(tool.find)) throw new Error(`String to replace not found in ${path}`);
    writeFileSync(
      path,
      before.replace(tool.find, () => tool.replace),
    );
    return success(`The file ${path} has been updated.`);
  } catch (error) {
    if (signal.aborted) throw error;
    return { isError: true, output: (error as Error).message, exitCode: null };
  }
}

/** Runs a command in its own session, as real agents do, so that a signal to our group does not reach it. */
function runCommand(command: string, directory: string, signal: AbortSignal): Promise<ToolOutcome> {
  return new Promise((settle, reject) => {
    const child = children().spawn('sh', ['-c', command], {
      cwd: directory,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    const onAbort = () => {
      if (child.pid !== undefined) killGroup(child.pid);
      reject(new Error('interrupted'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      settle({ isError: code !== 0, output: Buffer.concat(chunks).toString('utf8'), exitCode: code });
    });
  });
}

/** Starts something that outlives us: in its own session and, if asked, holding on to our stdout. */
export function leaveBehind(command: string, holdsOutput: boolean): void {
  const output = holdsOutput ? 'inherit' : 'ignore';
  const child = children().spawn('sh', ['-c', command], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  child.unref();
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It had already ended.
  }
}

function success(output: string): ToolOutcome {
  return { isError: false, output, exitCode: 0 };
}
