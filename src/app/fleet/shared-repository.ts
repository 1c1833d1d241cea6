import { join } from 'node:path';
import { baseRef, openRepository } from '../../fleet/index.js';
import { visibleLine } from '../../foundation/index.js';
import { PlanNotQueuedError } from '../../queue/index.js';
import { gitCommonDirectory } from '../../storage/index.js';
import {
  findRemote,
  findRemoteRef,
  findRepositoryTop,
  GitRemoteError,
  isOnRemote,
  type NamedRemote,
  pushCommit,
  type RemoteRepository,
} from '../../workspace/index.js';
import type { Services } from '../services.js';
import { workbenchOf } from '../sessions/open-processes.js';

/** A commit that work should start from but that the git server does not have. */
export interface LackingBase {
  readonly commit: string;
  /** The name of the server in the repository. */
  readonly remote: string;
  /** The ref that it would be pushed as. */
  readonly ref: string;
}

/** Whether the person wants it pushed. */
export type MayPushBase = (lacking: LackingBase) => Promise<boolean>;

/**
 * Where other machines get the repository from. It must have the commit that the work starts from; that is pushed if the person
 * agrees. Throws PLAN_NOT_QUEUED, GIT_REMOTE, GIT_FAILED.
 */
export async function sharedRepository(
  services: Services,
  project: string,
  base: string | null,
  mayPushBase: MayPushBase = async () => false,
): Promise<string> {
  const { fileSystem } = services.tools;
  const top = findRepositoryTop(fileSystem, fileSystem.resolve(project));
  const tools = workbenchOf(services);
  const remote = top === undefined ? undefined : await findRemote(tools, top);
  if (top === undefined || remote === undefined)
    throw new PlanNotQueuedError(
      `${visibleLine(project)} has no remote that other machines could get it from`,
      {
        hint: 'Give it one: git remote add origin <url>, and push. Or use --local to queue it for this machine alone.',
      },
    );
  if (!/^[a-z]+:\/\/|^\/|^[^/:]+@[^/:]+:/.test(remote.url))
    throw new PlanNotQueuedError(
      `The remote ${visibleLine(remote.url)} means something on this machine only`,
      { hint: 'Give it as a URL, or as an absolute path that every machine has.' },
    );
  if (base !== null && !(await isOnRemote(tools, top, base)))
    await shareBase(services, { top, remote, commit: base }, mayPushBase);
  return remote.url;
}

/** Puts a commit on the server that is on none of its branches. Throws PLAN_NOT_QUEUED if the person does not want that. */
async function shareBase(
  services: Services,
  { top, remote, commit }: { readonly top: string; readonly remote: NamedRemote; readonly commit: string },
  mayPush: MayPushBase,
): Promise<void> {
  const { tools, config } = services;
  const ref = baseRef(commit, config.get('fleet.ref'));
  const workbench = workbenchOf(services);
  const mirror = await openRepository(tools, workbench, config.layout.fleet, remote.url);
  const own = { ...mirror, objects: join(gitCommonDirectory(tools.fileSystem, top) ?? top, 'objects') };
  if ((await findKept(services, own, ref)) === commit) return;
  if (!(await mayPush({ commit, remote: remote.name, ref })))
    throw new PlanNotQueuedError(`The commit ${commit.slice(0, 8)} is on no branch of the remote`, {
      hint: `Push it first: git push. Or use --push-base to have it pushed as ${ref}, --base <commit> for one that is there, or --local.`,
    });
  await pushCommit(workbench, own, { commit, ref, expected: null });
}

/** What the server already has from earlier; one that does not answer counts as having nothing. */
async function findKept(
  services: Services,
  repository: RemoteRepository,
  ref: string,
): Promise<string | undefined> {
  try {
    return await findRemoteRef(workbenchOf(services), repository, ref);
  } catch (error) {
    if (error instanceof GitRemoteError) return undefined;
    throw error;
  }
}
