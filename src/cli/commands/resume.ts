import { defineCommand } from '../command.js';
import { sendLoopRequest } from '../loop-request.js';

export default defineCommand({
  usage: 'resume',
  summary: 'Let a run that is paused or waits go on now',
  details:
    'For a run that waits because of `holdfast pause`, and for one that waits for a limit of its agent, an overloaded\n' +
    'service or the network: it tries at once. A run that has ended goes on with `holdfast run <plan> --resume`.',
  options: {},
  examples: ['holdfast resume'],
  run: (context) => sendLoopRequest(context, { kind: 'resume' }),
});
