import { expect, it } from 'vitest';
import { killChats } from './chat-kills.js';

it('4 chats killed at random instants lose no answer that was shown as complete', async () => {
  expect((await killChats(4, 3)).answered).toBeGreaterThan(0);
});
