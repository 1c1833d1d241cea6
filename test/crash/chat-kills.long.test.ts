import { expect, it } from 'vitest';
import { killChats } from './chat-kills.js';

/** HOLDFAST_CHAT_KILLS=500 for the long run by hand; HOLDFAST_CHAT_SEED replays one. */
const kills = Number(process.env.HOLDFAST_CHAT_KILLS ?? 60);
const seed = Number(process.env.HOLDFAST_CHAT_SEED ?? 15);

it(
  `${kills} chats killed at random instants lose no answer that was shown as complete`,
  async () => {
    const counts = await killChats(kills, seed);
    process.stdout.write(`${kills} kills, seed ${seed}: ${JSON.stringify(counts)}\n`);
    expect(counts.answered).toBeGreaterThan(0);
  },
  60_000 + kills * 30_000,
);
