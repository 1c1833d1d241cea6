// Our side of PERF-40: the steps of a checkpoint as a leased run takes them, with its own loop and conversation.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createServices } from '../src/app/base.js';
import { workbenchOf } from '../src/app/sessions/open-processes.js';
import { Checkpoints, connect, migrate, parseAddress } from '../src/hub/index.js';
import { LoopSessions } from '../src/sessions/loop/index.js';
import { commitSnapshot, openMirror, pushCommit } from '../src/workspace/index.js';

export async function openCheckpoints(place: {
  top: string;
  remote: string;
  directory: string;
  url: string;
}) {
  const { top, remote, directory, url } = place;
  const home = join(directory, 'home');
  mkdirSync(home);
  const environment = { PATH: process.env.PATH, HOME: home, HOLDFAST_HOME: join(directory, 'own') };
  const { tools, clock, log, ...services } = createServices({
    environment,
    workingDirectory: top,
    command: 'bench',
  });
  const workbench = workbenchOf({ tools, clock, log, ...services });
  const address = parseAddress(url);
  const connection = await connect({
    address,
    passwordFor: () => undefined,
    fileSystem: tools.fileSystem,
    clock,
    log,
  });
  await migrate(connection);
  const [machine, entry, token] = [randomUUID(), randomUUID(), randomUUID()];
  await connection.rows('select holdfast.join_fleet($1, $2, $3, $4)', [machine, 'bench', 'b', '1']);
  await connection.rows(
    `insert into holdfast.entry (id, position, repository, project, plan, content, options, on_failure, created_by, created_from)
     values ($1, 1, '/x', '/x', '{}', '{}', '{}', 'stop', session_user, $2)`,
    [entry, machine],
  );
  await connection.rows('select * from holdfast.take_entry($1, $2, $3, $4, $5, $6)', [
    machine,
    token,
    [],
    [address.user],
    86_400,
    '{}',
  ]);
  await connection.script('create table public.plain (n int, text text)');
  const mirror = await openMirror(workbench, join(directory, 'mirror'), remote);
  const repository = { ...mirror, objects: join(top, '.git', 'objects') };
  const loops = new LoopSessions({ ...tools, directory: join(directory, 'loop'), projectDirectory: top });
  const loop = await loops.create('plan.md', {});
  const checkpoints = new Checkpoints(connection);
  const base = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: top, encoding: 'utf8' }).trim();
  const ref = `refs/holdfast/${randomUUID()}/1`;
  let expected: string | null = null;
  let count = 0;
  return {
    async plainInsert() {
      return async () => {
        await connection.rows('insert into public.plain values (1, $1)', ['x'.repeat(4_000)]);
      };
    },
    async store() {
      const { commit, parent, leftOut } = await commitSnapshot(workbench, top, {
        base,
        message: 'snapshot',
        scratch: home,
        token: 'bench',
      });
      await pushCommit(workbench, repository, { commit, ref, expected });
      expected = commit;
      const records = [0, 1].map((at) => ({
        seq: count + at,
        record: { type: 'turn', content: 'x'.repeat(2_000) },
      }));
      count += 2;
      await checkpoints.store(
        { entry, epoch: 1, token },
        {
          git: { commit, parent, ref, left_out: leftOut },
          documents: loop.export(),
          records,
          count,
          questions: [],
          prompt: 'x'.repeat(4_000),
        },
      );
    },
    async close() {
      loop[Symbol.dispose]();
      await connection.close();
    },
  };
}
