import { defineCommand } from '../../command.js';
import { sendLoopRequest } from '../../loop-request.js';

export default defineCommand({
  usage: 'pause',
  summary: 'Pause the run of this project',
  details:
    "The agent's turn is cut short, and the run waits for `holdfast resume`. Exit code 4 when there is no loop.",
  options: { reason: { type: 'string', value: '<text>', about: 'why; shown in the status' } },
  examples: ['holdfast pause', 'holdfast pause --reason "I need the machine"'],
  run: (context, { values }) =>
    sendLoopRequest(context, {
      kind: 'pause',
      ...(values.reason === undefined ? {} : { reason: values.reason }),
    }),
});
