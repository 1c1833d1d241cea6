import { ROOT_HELP } from './root-help.js';
import { VERSION } from './version.js';

// The small entry: it answers --version and --help at once and loads everything else only for a command.
const args = process.argv.slice(2);
const only = args.length === 1 ? args[0] : undefined;

if (process.platform === 'win32') {
  console.error(
    'holdfast does not run on Windows: its promises rest on link(2), fsync and process groups. Use WSL 2.',
  );
  process.exitCode = 2;
} else if (only === '--version' || only === '-V') {
  console.log(VERSION);
} else if (args.length === 0 || only === '--help' || only === '-h' || only === 'help') {
  console.log(ROOT_HELP);
} else {
  void import('./main.js').then(async ({ main }) => {
    process.exitCode = await main(args);
  });
}
