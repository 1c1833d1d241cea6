import { afterAll, beforeAll, describe } from 'vitest';
import { HANG } from '../support/detached-world.js';
import { type FleetMachines, fleetMachines } from '../support/fleet-machines.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { Pane } from '../support/tmux.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

describe.skipIf(POSTGRES === undefined)('holdfast top with runs of other machines', () => {
  let fleet: FleetMachines;

  beforeAll(async () => {
    fleet = await fleetMachines([HANG]);
  });

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
  });

  verifiesNeeding(
    'O02',
    { postgres: true, tmux: true },
    'its keys work on their rows: answer in place, pause, resume, stop; the hub going away is said once',
    async () => {
      const { away, home, db } = fleet;
      await using pane = await Pane.open(away, { columns: 150 });
      await pane.holdfast('top');
      await pane.until('Nothing is running, nothing is waiting');
      const started = JSON.parse((await home.go(['--detach', '--json', '--attended'])).stdout);
      // It appears without a key being pressed.
      await pane.until(/Working\n› workstation:projéct 1/);
      await pane.until(/^p pause · s stop · q leave/m);
      await pane.press('p');
      await pane.until('Arrived on workstation. Asked it to pause.');
      await pane.until(/Waiting for you\n› workstation:projéct 1.*paused: requested/);
      await pane.press('Enter');
      await pane.until('It is on workstation; its line-by-line output stays there.');
      await pane.press('r');
      await pane.until(/Working\n› workstation:projéct 1/);

      const set = await fleet
        .servicesOf(home, fleet.homeUrl)
        .questions.create(
          [{ title: 'Numbers', prompt: 'Which numbers?', options: [{ label: 'All' }, { label: 'Few' }] }],
          { asker: { agent: 'player', session: started.sessionId } },
        );
      await pane.until(/Waiting for you\n› workstation:projéct 1.*asks: Which numbers\?/);
      await pane.press('a');
      await pane.until('Question 1 of 1: Numbers');
      await pane.type('2');
      await pane.press('Enter');
      await pane.until('Review');
      await pane.press('Enter');
      await pane.until(/Working\n› workstation:projéct 1/);
      await until(() => home.readFile(set.id, 'answers.json').answers[0].selectedOption === 'Few');

      await db.stop('SIGQUIT');
      await pane.until('Other machines: ');
      await pane.until(/› workstation:projéct 1.*no sign for/);
      await db.start();
      await pane.until('Other machines can be read again.');
      await pane.press('s');
      await pane.until(/Stop adder on workstation\?/);
      await pane.press('y');
      await pane.until('Arrived on workstation. Asked it to stop.');
      await until(() => home.state().status === 'suspended');
      await pane.press('q');
      await pane.until(/prompt>/);
    },
  );
});
