import { expect, it } from 'vitest';
import { nearestCommands } from './nearest.js';
import { RALPHTOOL } from './ralphtool-table.js';

const NAMES = [
  'agent session init',
  'agent session flush',
  'agent context',
  'agent task done',
  'agent learn',
];

it.each([
  ['agent tsk done 1.1', ['agent task done']],
  ['agent task doen 1.1', ['agent task done']],
  ['agent contxt', ['agent context']],
  ['agent leran something --task 1.1', ['agent learn']],
  ['agent flush', ['agent session flush']],
  ['agent done 1.1', ['agent task done']],
  ['session init --change x', ['agent session init']],
  ['learn x', ['agent learn']],
  ['agent session', ['agent session init', 'agent session flush']],
  ['agent session begin', ['agent session init', 'agent session flush']],
  ['agent nope', []],
  ['', []],
])('%j may have meant %j', (line, meant) => {
  expect(nearestCommands(NAMES, line.split(' '))).toEqual(meant);
});

it('a typo gets the nearest command of ralphtool, not all of them', async () => {
  expect(await RALPHTOOL.similar(['agent', 'task', 'udno', '1.1'])).toEqual(['agent task undo']);
});
