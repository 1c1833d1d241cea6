import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, type Machine, machine } from './holdfast-binary.js';

/** A machine whose agent `player` plays this script, remembers its conversations and notes its prompts. */
export async function withPlayer(turns: unknown = []): Promise<Machine> {
  const world = await machine();
  writeFileSync(world.dir.at('script.json'), JSON.stringify({ turns }));
  world.configure({
    agents: {
      player: {
        driver: 'claude',
        command: process.execPath,
        args: [join(DIST, 'agents', 'scripted.cjs')],
        environment: {
          HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
          HOLDFAST_SCRIPTED_SCRIPT: world.dir.at('script.json'),
          HOLDFAST_SCRIPTED_STATE: world.dir.at('state'),
          HOLDFAST_SCRIPTED_NOTES: world.dir.at('notes.jsonl'),
          SECRET_VALUE: 'do-not-write-me',
        },
      },
    },
  });
  return world;
}
