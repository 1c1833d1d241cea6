import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderTable } from '../../render/table.js';

export default defineCommand({
  usage: 'paths',
  summary: 'Print every path that belongs to Holdfast',
  details: 'HOLDFAST_HOME moves config, data and state; the other directories have config keys of their own.',
  options: {},
  examples: ['holdfast paths', 'holdfast paths --json', 'HOLDFAST_HOME=/srv/holdfast holdfast paths'],
  async run({ services, terminal, isJson }) {
    const { layout, roots, rootSource } = services.config;
    const { data, state } = roots;
    const paths = { ...layout, data, state };
    if (isJson) terminal.write(visibleJson({ ...paths, rootsFrom: rootSource }));
    else {
      terminal.write(
        renderTable(
          ['WHAT', 'WHERE'],
          Object.entries(paths).map(([what, where]) => [what, visibleLine(where)]),
        ),
      );
      terminal.note(`Roots come from ${rootSource}.`);
    }
    return ExitCode.done;
  },
});
