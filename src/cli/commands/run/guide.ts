import { defineCommand } from '../../command.js';
import { sendLoopRequest } from '../../loop-request.js';

export default defineCommand({
  usage: 'guide <text>',
  summary: 'Tell the agent something in its next prompt',
  details: 'The text is kept until the agent has received it, even if no run is active now.',
  options: {},
  examples: ['holdfast guide "use the existing date library"'],
  run: (context, { positionals: [text = ''] }) => sendLoopRequest(context, { kind: 'guidance', text }),
});
