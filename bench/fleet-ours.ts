// Our side of PERF-35: a person who answers, on the machine that asks or on another one. Bundled apart from `ours.ts`, so that
// no other row loads the fleet.
import { createServices } from '../src/app/base.js';
import { openFleet, openFleetQuestions } from '../src/app/fleet/open-fleet.js';
import { parseAddress } from '../src/hub/index.js';
import { cluster } from '../test/support/postgres.js';

export { cluster };

const CHOICE = [{ questionIndex: 0, selectedOption: 'Yes' }];

function servicesOf(home: string, url?: string) {
  const fleet = url === undefined ? {} : { HOLDFAST_FLEET_URL: url };
  const environment = { HOLDFAST_HOME: home, HOME: home, ...fleet };
  return createServices({ environment, workingDirectory: home, command: 'bench' });
}

/** Makes the fleet with its first machine, or joins it. */
export async function join(home: string, url: string, name: string, isFirst: boolean): Promise<void> {
  const desk = openFleet(servicesOf(home, url));
  await (isFirst ? desk.init(parseAddress(url), name) : desk.join(parseAddress(url), name));
}

/** Somebody with an open inbox; `answer` returns when it is known to have arrived. */
export async function person(home: string, url?: string) {
  const services = servicesOf(home, url);
  const fleet = url === undefined ? undefined : await openFleetQuestions(services);
  const questions = fleet?.questions ?? services.questions;
  return {
    waiting: async () =>
      (await questions.listLive()).filter(({ outcome }) => outcome.status === 'pending').map(({ id }) => id),
    async answer(id: string) {
      const view = await questions.answer(id, CHOICE);
      if (view.outcome.status !== 'completed') throw new Error(`the answer did not arrive: ${id}`);
    },
  };
}
