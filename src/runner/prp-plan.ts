import { parsePrp } from '../plans/index.js';
import { type FileSystem, readUserFile, UnsafePathError } from '../storage/index.js';
import { PlanNotFoundError } from './errors.js';
import type { RunPlan } from './plan.js';

/** A PRP document as a plan. It is read again for each iteration: people edit it. Throws PLAN_NOT_FOUND. */
export function openPrpPlan(fileSystem: FileSystem, path: string, shownPath: string): RunPlan {
  const read = () => parsePrp(readPlan(fileSystem, path, shownPath));
  const { length: criteriaCount } = read().criteria;
  return {
    path,
    criteriaCount,
    warnings: criteriaCount === 0 ? [withoutCriteria(shownPath)] : [],
    environment: () => ({}),
    async begin() {},
    async assignment() {
      const { title, criteria } = read();
      return { title: title ?? shownPath, path: shownPath, criteria, background: '', howTo: '' };
    },
    async progress() {
      return undefined;
    },
    async enterStory() {},
    async finish() {},
  };
}

function readPlan(fileSystem: FileSystem, path: string, shownPath: string): string {
  // The project itself has no path inside of it.
  const shown = shownPath || path;
  let text: string | undefined;
  try {
    text = readUserFile(fileSystem, path);
  } catch (error) {
    // A directory, mostly. It is the person's own, so advice about paths of ours would not help.
    if (!(error instanceof UnsafePathError)) throw error;
    throw new PlanNotFoundError(shown, { reason: error.reason, cause: error });
  }
  if (text === undefined) throw new PlanNotFoundError(shown);
  return text;
}

function withoutCriteria(shownPath: string): string {
  return `${shownPath} has no success criteria: the agent is told to work from its text alone. Add a list of them below a heading "Success Criteria".`;
}
