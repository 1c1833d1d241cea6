import { hashOf } from '../../src/queue/index.js';
import type { Cluster } from './postgres.js';
import { PLAN_FILES } from './queue-entries.js';

/** Queues many at once, with write access to the table. */
export async function manyEntries(db: Pick<Cluster, 'sql'>, count: number): Promise<void> {
  const machine = '00000000-0000-4000-8000-0000000000e0';
  await db.sql(
    `insert into holdfast.machine (id, name, role, boot_id, version) values ($1, 'sender', 'owner', 'b', '1') on conflict do nothing`,
    [machine],
  );
  const plan = {
    kind: 'prp',
    name: 'plan.md',
    source: '/project/plan.md',
    hash: hashOf(PLAN_FILES.files),
    files: ['plan.md'],
  };
  const content = { 'plan.md': PLAN_FILES.files.get('plan.md')?.toString('base64') };
  await db.sql(
    `insert into holdfast.entry (id, position, repository, project, plan, content, options, on_failure, created_by, created_from)
     select gen_random_uuid(), n, 'https://git.lan/p.git', '/project', $1, $2, '{}', 'stop', 'owner', $3
     from generate_series(1, $4::int) n`,
    [JSON.stringify(plan), JSON.stringify(content), machine, count],
  );
}
