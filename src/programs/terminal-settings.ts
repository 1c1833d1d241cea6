import { spawn, spawnSync } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { definedOnly } from './program.js';

/** Longer than `stty` ever takes; a terminal that does not answer is left alone. */
const LIMIT_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of the terminal at our standard input, in a form that `stty` accepts back; null if unknown. Never throws. */
export async function readTerminalSettings(environment: Environment): Promise<string | null> {
  const settings = (await printedByStty(environment)).trim();
  return SETTINGS.test(settings) ? settings : null;
}

/** What `stty -g` prints; empty if it fails, cannot be started or takes too long. */
function printedByStty(environment: Environment): Promise<string> {
  return new Promise((resolve) => {
    try {
      const child = spawn('stty', ['-g'], {
        env: definedOnly(environment),
        stdio: ['inherit', 'pipe', 'ignore'],
        timeout: LIMIT_MS,
      });
      let printed = '';
      // With no descriptor to spare there is no pipe, and an error follows.
      (child.stdout as Readable | null)?.setEncoding('utf8').on('data', (text) => {
        printed += text;
        // It prints one line at once, so we need not wait for its end.
        if (printed.endsWith('\n')) resolve(printed);
      });
      child.on('error', () => resolve(''));
      child.on('close', (code) => resolve(code === 0 ? printed : ''));
    } catch {
      resolve(''); // the system has no room for another process
    }
  });
}

/**
 * Puts settings back into a terminal that was left raw; a terminal that is not raw is not touched. Node takes the
 * terminal's state at process start for the right one and restores it at the end, so the settings are put back again
 * after that.
 */
export function mendTerminalSettings(environment: Environment, settings: string): void {
  if (!SETTINGS.test(settings) || !/(?:^|\s)-icanon\b/.test(stty(environment, ['-a']) ?? '')) return;
  stty(environment, [settings]);
  const behind = spawn('sh', ['-c', BEHIND_US, settings], {
    env: definedOnly(environment),
    stdio: ['pipe', 'ignore', 'ignore', 0],
    detached: true, // Ctrl+C is not meant for it, and it may set a terminal that is not its own
  });
  behind.on('error', () => {}); // then it stays as it was, as if we had done nothing
  behind.unref();
  // Nothing is ever written to it: it ends when we do.
  (behind.stdin as Socket | null)?.unref();
}

/** Waits for the end of its input, which comes when we begin to exit, and then at most two seconds until we are gone. */
const BEHIND_US =
  'cat > /dev/null; i=0; while kill -0 "$PPID" 2> /dev/null && [ $i -lt 100 ]; do sleep 0.02; i=$((i+1)); done; exec stty "$0" <&3';

/** As GNU and BSD print them. */
const SETTINGS = /^[\w:=]{1,1000}$/;

function stty(environment: Environment, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('stty', [...args], {
    env: definedOnly(environment),
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  return status === 0 ? stdout : undefined;
}
