import { describe, expect } from 'vitest';
import { LONG_TEST_MS } from '../support/deadlines.js';
import { isGone } from '../support/detached-world.js';
import { until } from '../support/processes.js';
import { killQuietly, projectsWorld } from '../support/projects-world.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';

const NUMBERS = Array.from({ length: 10 }, (_, number) => number);

describe('ten runs in ten projects, five of them waiting', () => {
  verifiesInTerminal(
    'O02',
    'all are seen; after a kill of every runner and of top each is resumed, attached to and answered from it',
    async () => {
      await using world = await projectsWorld();
      const sessions = new Map<string, string>();
      for (const number of NUMBERS) {
        const name = `p${number}`;
        sessions.set(name, await world.begin(name, number < 5 ? 'asker' : 'worker'));
      }
      await until(() => world.ids().length === 5);
      await using pane = await Pane.open(world, { columns: 120, rows: 40 });
      await pane.holdfast('top');
      await pane.until(/5 ask, 5 work$/m);

      // Everything of ours dies at once; nothing that was acknowledged is lost.
      const runners = world.runners();
      expect(runners).toHaveLength(10);
      const top = await pane.program();
      for (const pid of [top, ...runners]) killQuietly(pid);
      await until(() => [top, ...runners].every(isGone));
      await pane.makeSane();
      const rows = await world.rows();
      expect(rows).toHaveLength(10);
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(sessions.values()));
      expect(rows.every(({ isRunning }) => !isRunning)).toBe(true);

      await pane.holdfast('top');
      await pane.until(/^Holdfast +5 ask, 5 rest/m);
      // Those that only worked are resumed, one by one.
      for (const number of NUMBERS.slice(5)) {
        await pane.type(`/p${number}-plan`);
        await pane.until(new RegExp(`^Holdfast: p${number}-plan +1 rests`, 'm'));
        await pane.press('Enter');
        await pane.until(/^Enter attach · r resume/m);
        await pane.press('r');
        await pane.until(new RegExp(`^Holdfast: p${number}-plan +1 works`, 'm'));
        await pane.press('Enter');
        await pane.until(/^q leave · p pause/m);
        await pane.press('q');
        await pane.until(new RegExp(`^Holdfast: p${number}-plan +1 works`, 'm'));
        await pane.press('Escape');
        await pane.until(/^Holdfast {2,}/m);
      }
      // Those that ask are resumed and answered; the agent asks again, or hears what was answered meanwhile.
      for (const number of NUMBERS.slice(0, 5)) {
        await pane.type(`/p${number}-plan`);
        await pane.until(new RegExp(`^Holdfast: p${number}-plan +1 asks`, 'm'));
        await pane.press('Enter');
        await pane.until(/^Enter answer/m);
        await pane.press('a');
        await pane.until('Question 1 of 1: Numbers');
        await pane.type('1');
        await pane.press('Enter');
        await pane.until('Review');
        await pane.press('Enter');
        await pane.until(new RegExp(`^Holdfast: p${number}-plan +1 rests`, 'm'));
        await pane.press('r');
        await pane.until(new RegExp(`^Holdfast: p${number}-plan +1 (works|asks|ended today)`, 'm'));
        await pane.press('Escape');
        await pane.until(/^Holdfast {2,}/m);
      }
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
      for (const [name, id] of sessions) expect(world.state(name).session_id).toBe(id);
      await until(() => NUMBERS.slice(5).every((number) => world.state(`p${number}`).status === 'running'));
      await until(() =>
        NUMBERS.slice(0, 5).every((number) =>
          ['running', 'completed'].includes(world.state(`p${number}`).status),
        ),
      );
    },
    LONG_TEST_MS,
  );
});
