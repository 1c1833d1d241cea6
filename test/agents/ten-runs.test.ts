import { expect } from 'vitest';
import { LONG_TEST_MS } from '../support/deadlines.js';
import { killQuietly, until } from '../support/processes.js';
import { serviceWorld } from '../support/service-world.js';
import { Pane } from '../support/tmux.js';
import { TopPane } from '../support/top-pane.js';
import { itTries } from './it-tries.js';
import { REAL_AGENTS, settingsFor } from './real-agents.js';
import { answers, asks, DONE, script, writes } from './run-plays.js';
import { standIn } from './stand-in.js';

const CLAUDE = 'The plan is docs/p8-plan\\.md';
const CODEX = 'The plan is docs/p9-plan\\.md';

/** Claude Code works until it is killed, Codex asks; asked again after that, each does its work. */
const PLAY = script(
  ...answers(`${CLAUDE}.*was interrupted`, writes({ 'done.txt': 'x\n' }), DONE),
  ...answers(CLAUDE, { ...DONE, chunkChars: 8, fault: { type: 'stall' } }),
  ...answers(`${CODEX}.*was interrupted`, writes({ 'done.txt': 'x\n' }), DONE),
  ...answers(CODEX, asks(), DONE),
);

const AGENTS = [
  'asker',
  'asker',
  'asker',
  'asker',
  'worker',
  'worker',
  'worker',
  'worker',
  'claude',
  'codex',
];

itTries(
  ['claude', 'codex'],
  'ten runs, of Claude Code and Codex two, five of them waiting: after a kill of everything the service and top bring each back',
  async () => {
    await using model = await standIn(PLAY, {});
    await using world = await serviceWorld((machine) => {
      const place = { home: machine.dir.at('agents-home'), baseUrl: model.url };
      return {
        claude: settingsFor(REAL_AGENTS.claude, place),
        codex: settingsFor(REAL_AGENTS.codex, place),
      };
    });
    await world.run(['service', 'install']);
    const sessions = new Map<string, string>();
    for (const [number, agent] of AGENTS.entries())
      sessions.set(`p${number}`, await world.begin(`p${number}`, agent));
    await until(() => world.ids().length === 5);
    await until(() => world.prompts('p8') === 1 && model.requests().length >= 2);
    {
      await using pane = await Pane.open(world, { columns: 120, rows: 40 });
      await pane.holdfast('top');
      await pane.until(/5 waiting for you, 5 working$/m);
      killQuietly(await pane.program());
      await pane.makeSane();
    }
    expect(world.runners()).toHaveLength(10);
    await world.cutPower();

    // The service is killed as soon as it has started one of them, and started again.
    const service = world.startUnit();
    let said = '';
    service.stdout?.on('data', (text) => {
      said += text;
    });
    await until(() => said.includes(' continues'));
    killQuietly(service.pid ?? -1);
    const { code, stderr } = await world.boot();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await until(() => world.state('p8').status === 'completed');
    await until(() => ['p4', 'p5', 'p6', 'p7'].every((name) => world.prompts(name) === 2));
    // Those that asked still ask, nobody runs them, and their agents were prompted no more.
    for (const name of ['p0', 'p1', 'p2', 'p3', 'p9']) expect(world.prompts(name)).toBe(1);
    await until(() => world.runners().length === 4);

    await using pane = await Pane.open(world, { columns: 120, rows: 40 });
    await pane.holdfast('top');
    await pane.until(/^Holdfast +5 waiting for you, 4 working, 1 ended today/m);
    const view = new TopPane(pane);
    for (const name of ['p4', 'p5', 'p6', 'p7']) {
      await view.showAlone(name, 'working');
      await view.pause(name);
      await view.resume(name);
      await view.attach(name);
      await view.all();
    }
    for (const name of ['p0', 'p1', 'p2', 'p3', 'p9']) {
      await view.showAlone(name, 'waiting for you');
      await view.answer(name);
      await view.resume(name, '(working|waiting for you|ended today)');
      await view.all();
    }
    await until(() => world.state('p9').status === 'completed');
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    for (const [name, id] of sessions) expect(world.state(name).session_id).toBe(id);
  },
  { timeoutMs: LONG_TEST_MS },
);
