import { readFileSync } from 'node:fs';
import type { Actor } from './actor.js';
import { Conversations } from './conversation.js';
import { type Launch, LaunchError, type Protocol, readLaunch } from './launch.js';
import { Output } from './output.js';
import { stayAlive } from './player.js';
import { Questioner } from './questioner.js';
import { parseScript, ScriptError } from './script.js';

const VERSION = '1.0.0';

/** Exit status after SIGTERM, the same as Claude Code's. */
const TERMINATED = 143;

main().catch((error: unknown) => {
  const isExpected = error instanceof LaunchError || error instanceof ScriptError;
  process.stderr.write(`scripted: ${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 2;
});

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const ownArguments = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (ownArguments.includes('--version')) {
    process.stdout.write(`${VERSION} (Holdfast scripted agent)\n`);
    return;
  }
  const launch = readLaunch(argv, process.env);
  await play(launch.protocol, makeActor(launch));
}

/** Loads only the protocol that is spoken. */
async function play(protocol: Protocol, actor: Actor): Promise<void> {
  switch (protocol) {
    case 'claude':
      return (await import('./claude.js')).playClaude(actor);
    case 'codex':
      return (await import('./codex.js')).playCodex(actor);
    case 'acp':
      return (await import('./acp.js')).playAcp(actor);
    case 'line':
      return (await import('./line.js')).playLine(actor);
  }
}

function makeActor(launch: Launch): Actor {
  let isStubborn = false;
  process.on('SIGTERM', () => {
    if (!isStubborn) process.exit(TERMINATED);
  });
  return {
    launch,
    script: launch.scriptPath === null ? null : parseScript(readFileSync(launch.scriptPath, 'utf8')),
    conversations: new Conversations(launch.stateDirectory, launch.notesPath),
    stage: {
      output: new Output(),
      directory: process.cwd(),
      questioner: new Questioner(launch.mcpServers),
      ignoreTerm: () => {
        isStubborn = true;
        stayAlive();
      },
    },
    leave: (code) => {
      if (!isStubborn) process.exit(code);
    },
  };
}
