import { messageOf } from '../../foundation/index.js';
import type { ChangedFile, HeldLoop, LoopState } from '../../sessions/loop/index.js';
import { countChangedLines, findStartingPoint } from '../../workspace/index.js';
import type { FoundRun } from '../open/find-run.js';
import type { RunServices } from '../open/run-services.js';

/** Notes once where the work begins. If that cannot be found out, the run works all the same. */
export async function noteStart(
  services: RunServices,
  { projectDirectory }: FoundRun,
  loop: HeldLoop,
): Promise<void> {
  const { startedFrom, usage } = loop.state;
  if (startedFrom != null || (usage?.iterations ?? 0) > 0) return;
  const workbench = services.workbench();
  const start = await findStartingPoint(workbench, projectDirectory, workbench).catch((error: unknown) => {
    services.log.warn('run.start-not-measured', { error: messageOf(error) });
  });
  if (start !== undefined) loop.recordStart({ ...start, uncommitted: [...start.uncommitted] });
}

/** What the run has changed since it began: by git if it can tell, otherwise the measured names. */
export async function noteFiles(
  services: RunServices,
  { projectDirectory }: FoundRun,
  loop: HeldLoop,
  touched: ReadonlySet<string>,
): Promise<void> {
  const before = loop.state.filesChanged;
  const counted = await changedSince(services, projectDirectory, loop.state);
  const names = new Set([...(before ?? []).map(({ path }) => path), ...touched]);
  const files = counted ?? [...names].sort().map((path) => ({ path, added: null, deleted: null }));
  if (JSON.stringify(files) !== JSON.stringify(before)) loop.recordFiles(files);
}

/** The files that differ from when a loop began; undefined if git cannot tell. */
export async function changedSince(
  services: RunServices,
  projectDirectory: string,
  { startedFrom }: LoopState,
): Promise<ChangedFile[] | undefined> {
  if (startedFrom == null) return undefined;
  const files = await countChangedLines(services.workbench(), projectDirectory, startedFrom.commit);
  return files?.map((file) => ({ ...file }));
}
