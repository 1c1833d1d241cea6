import type { Services } from '../../../app/base.js';
import { visibleLine } from '../../../foundation/index.js';
import { type PathsParts, showPaths } from '../../../operations/paths.js';
import { commandOf } from '../../command-of.js';
import { renderTable } from '../../render/table.js';

const paths = commandOf(showPaths, {
  usage: 'paths',
  details: 'HOLDFAST_HOME moves config, data and state; the other directories have config keys of their own.',
  options: {},
  examples: ['holdfast paths', 'holdfast paths --json', 'HOLDFAST_HOME=/srv/holdfast holdfast paths'],
  parts: ({ config }: Services): PathsParts => {
    const { layout, roots, rootSource } = config;
    const { data, state } = roots;
    return { places: { paths: () => ({ paths: { ...layout, data, state }, rootsFrom: rootSource }) } };
  },
  input: () => ({}),
  render: ({ paths: places }) =>
    renderTable(
      ['WHAT', 'WHERE'],
      Object.entries(places).map(([what, where]) => [what, visibleLine(where)]),
    ),
  json: ({ paths: places, rootsFrom }) => ({ ...places, rootsFrom }),
  notes: ({ rootsFrom }, { terminal }) => terminal.note(`Roots come from ${rootsFrom}.`),
});

export const commands = [paths];
