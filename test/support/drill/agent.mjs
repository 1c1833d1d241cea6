// Simulates an agent: it keeps reporting that it is alive, and starts tools as agents do, in sessions of their own, one
// of them without its environment.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [file, epoch, role = 'agent'] = process.argv.slice(2);
const beat = () => appendFileSync(file, `${Date.now()} ${epoch} ${role} ${process.pid}\n`);
beat();
setInterval(beat, 10);
if (role === 'agent') {
  const self = fileURLToPath(import.meta.url);
  const options = { stdio: 'ignore', detached: true };
  spawn(process.execPath, [self, file, epoch, 'tool'], options);
  spawn(process.execPath, [self, file, epoch, 'wiped'], { ...options, env: {} });
}
