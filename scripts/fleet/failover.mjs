// A primary that is killed under load with a synchronous standby, larger than the tests have it:
// node scripts/fleet/failover.mjs [sets] [people]. It needs a build.
import { buildOurs, sleep } from './lib.mjs';

const [sets = 2_000, count = 8] = process.argv.slice(2).map(Number);
const { answerAll, fleetWorld, inboxOf, killWhole, linked, nothingTold, standbyOf } = await buildOurs();
const world = await fleetWorld();
await (await world.member('first')).pass();
const standby = await standbyOf(world.db);
try {
  await standby.makeSynchronous();
  const url = world.db.url.replace(`:${world.db.port}/`, `:${world.db.port},127.0.0.1:${standby.port}/`);
  const home = await world.member('home', { url });
  const people = [];
  for (let at = 0; at < count; at++) people.push(await world.member(`person-${at}`, { url }));
  const ids = [];
  for (let at = 0; at < sets; at++) ids.push((await home.ask()).id);
  const link = await linked(home);
  const mirrored = async () =>
    Number((await world.db.sql('select count(*) as n from holdfast.session'))[0].n);
  while ((await mirrored()) < sets) await sleep(200);
  const inboxes = await Promise.all(people.map(inboxOf));
  const told = nothingTold();
  let promoted;
  const isPromoted = new Promise((resolve) => {
    promoted = resolve;
  });
  const load = answerAll(inboxes, ids, told, () => isPromoted);
  while (told.arrived.size < sets / 2) await sleep(5);
  const before = told.arrived.size + told.onTheirWay.size;
  const killedAt = performance.now();
  await killWhole(world.db);
  await standby.promote();
  const promotedMs = performance.now() - killedAt;
  promoted();
  await load;
  for (const inbox of inboxes) await inbox[Symbol.asyncDispose]();
  for (const person of people) await (await inboxOf(person))[Symbol.asyncDispose]();
  const open = async () =>
    (await home.services.questions.listLive()).filter(({ outcome }) => outcome.status === 'pending');
  while ((await open()).length > 0) await sleep(200);
  const rows = await standby.sql('select session, state from holdfast.request');
  const settled = new Set(rows.filter(({ state }) => state === 'applied').map(({ session }) => session));
  const acknowledged = [...told.arrived, ...told.onTheirWay];
  const lost = acknowledged.filter((id) => !settled.has(id)).length;
  console.log(
    `${sets} answers by ${count} people: ${before} acknowledged before the kill, promoted after ${Math.round(promotedMs)} ms, ` +
      `${told.onTheirWay.size} said to be on their way, ${told.refusals} times "not stored"; ${acknowledged.length} acknowledged in all, ${lost} lost, ${rows.length - sets} twice`,
  );
  await link[Symbol.asyncDispose]();
} finally {
  await standby[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
}
