// Verifies a conversation, shows its end, and reports the peak memory of the process.
import fs from 'node:fs';
import { loadOurs, serveWorker } from '../lib.mjs';

serveWorker(async ({ directory }) => {
  const { openConversations } = await loadOurs();
  const sessions = openConversations(directory);
  if (!sessions.verify('long').isOk || sessions.readLast('long', 50).turns.length !== 50)
    throw new Error('the conversation is not whole');
  return { peakMegabytes: peakMegabytes() };
});

/** Not `maxRSS`: the kernel starts that at the size of the process that forked this one, here the whole bench. */
function peakMegabytes() {
  const [, kilobytes] = /VmHWM:\s*(\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'utf8'));
  return Number(kilobytes) / 1_000;
}
