import { defineCommand } from '../command.js';
import { ExitCode } from '../exit-codes.js';
import { renderTable } from '../render/table.js';

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
    if (isJson) terminal.write(JSON.stringify({ ...paths, rootsFrom: rootSource }));
    else {
      terminal.write(renderTable(['WHAT', 'WHERE'], Object.entries(paths)));
      terminal.note(`Roots come from ${rootSource}.`);
    }
    return ExitCode.done;
  },
});
