import { defineCommand } from '../../command.js';
import { sendLoopRequest } from '../../loop-request.js';

export default defineCommand({
  usage: 'guide <text>',
  summary: 'Tell the agent something with its next prompt',
  details: 'The text is kept until the agent was told, also when no run is under way now.',
  options: {},
  examples: ['holdfast guide "use the existing date library"'],
  run: (context, { positionals: [text = ''] }) => sendLoopRequest(context, { kind: 'guidance', text }),
});
