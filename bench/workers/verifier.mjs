// Verifies a conversation and shows its end, and tells how much memory the process had at most.
import { loadOurs, serveWorker } from '../lib.mjs';

serveWorker(async ({ directory }) => {
  const { openConversations } = await loadOurs();
  const sessions = openConversations(directory);
  if (!sessions.verify('long').isOk || sessions.readLast('long', 50).turns.length !== 50)
    throw new Error('the conversation is not whole');
  return { peakMegabytes: process.resourceUsage().maxRSS / 1_000 };
});
