import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { machine } from '../support/holdfast-binary.js';
import { itNeeds } from '../support/it-needs.js';
import { livingIn } from '../support/processes.js';
import { Pane } from '../support/tmux.js';

describe.concurrent('the demo in a terminal', () => {
  itNeeds(
    { tmux: true },
    'makes what the person chose, shows the kill, and leaves nothing behind',
    async () => {
      await using world = await machine();
      await using pane = await Pane.open(world, { columns: 110, rows: 50 });
      await pane.holdfast('demo');
      await pane.until('Good day');
      await pane.press('Down', 'Enter');
      expect(await pane.exitCode()).toBe(0);
      const text = await pane.history();
      const [, pid] = /kill -9 (\d+) /.exec(text) ?? [];
      expect(text).toContain(`Process ${pid} is gone: SIGKILL.`);
      expect(text).toContain("return name === undefined ? 'Good day!'");
      expect(text).toContain('The person chose "Good day".');
      expect(text).toContain('Nothing was lost.');
      expect(readdirSync(world.env.TMPDIR ?? '')).toEqual([]);
    },
  );

  itNeeds({ tmux: true }, 'makes what the person wrote in their own words', async () => {
    await using world = await machine();
    await using pane = await Pane.open(world, { columns: 110, rows: 50 });
    await pane.holdfast('demo');
    await pane.until('Good day');
    await pane.press('Down', 'Down', 'Enter');
    await pane.until('In your own words');
    await pane.type("G'day");
    await pane.press('Enter');
    expect(await pane.exitCode()).toBe(0);
    expect(await pane.history()).toContain('The person chose "Gday".');
  });

  itNeeds({ tmux: true }, 'leaves at Ctrl+C, at the question and before it', async () => {
    await using world = await machine();
    await using pane = await Pane.open(world, { columns: 110, rows: 50 });
    await pane.holdfast('demo');
    await pane.until('Good day');
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    expect(await pane.history()).toContain(
      'You left the question. The demo stops here; run it again with holdfast demo.',
    );
    expect(readdirSync(world.env.TMPDIR ?? '')).toEqual([]);
    expect(livingIn(world.dir.path, 'scripted.cjs')).toEqual([]);
    expect(await pane.facts()).toMatchObject({ isCursorShown: true, isAlternate: false, isWrapping: true });

    await pane.holdfast('demo');
    await pane.until('the agent is working');
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    expect(readdirSync(world.env.TMPDIR ?? '')).toEqual([]);
    await pane.run('echo typed $((1+1))');
    await pane.until('typed 2');
  });
});
