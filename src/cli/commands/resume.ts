import { defineCommand } from '../command.js';
import { sendLoopRequest } from '../loop-request.js';

export default defineCommand({
  usage: 'resume',
  summary: 'Let a paused loop go on',
  details:
    'For a run that waits because of `holdfast pause`. A run that has ended goes on with `holdfast run <plan> --resume`.',
  options: {},
  examples: ['holdfast resume'],
  run: (context) => sendLoopRequest(context, { kind: 'resume' }),
});
