import { describe, expect } from 'vitest';
import { LONG_TEST_MS } from '../support/deadlines.js';
import { isGone } from '../support/detached-world.js';
import { killQuietly, until } from '../support/processes.js';
import { projectsWorld } from '../support/projects-world.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';
import { TopPane } from '../support/top-pane.js';

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
      await pane.until(/5 waiting for you, 5 working$/m);

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
      await pane.until(/^Holdfast +5 waiting for you, 5 resting/m);
      const view = new TopPane(pane);
      // Those that were only working are resumed, one by one.
      for (const number of NUMBERS.slice(5)) {
        const name = `p${number}`;
        await view.showAlone(name, 'resting');
        await view.resume(name);
        await view.attach(name);
        await view.all();
      }
      // Those that are asking are resumed and answered; the agent asks again, or hears what was answered in the
      // meantime.
      for (const number of NUMBERS.slice(0, 5)) {
        const name = `p${number}`;
        await view.showAlone(name, 'waiting for you');
        await view.answer(name);
        await view.resume(name, '(working|waiting for you|ended today)');
        await view.all();
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
