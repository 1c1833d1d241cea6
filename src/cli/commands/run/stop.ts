import { defineCommand } from '../../command.js';
import { sendLoopRequest } from '../../loop-request.js';

export default defineCommand({
  usage: 'stop',
  summary: 'Stop the run of this project; it can be resumed',
  details:
    "The same as Ctrl+C in the terminal of the run: the agent's processes are ended, the session is kept as suspended.",
  options: { reason: { type: 'string', value: '<text>', about: 'why; shown in the status' } },
  examples: ['holdfast stop'],
  run: (context, { values }) =>
    sendLoopRequest(context, {
      kind: 'stop',
      ...(values.reason === undefined ? {} : { reason: values.reason }),
    }),
});
