import { parsePrp } from '../plans/index.js';
import { type FileSystem, readUserFile } from '../storage/index.js';
import { PlanNotFoundError } from './errors.js';
import type { RunPlan } from './plan.js';

/** A PRP document as a plan. It is read again for each iteration: people edit it. Throws PLAN_NOT_FOUND. */
export function openPrpPlan(fileSystem: FileSystem, path: string, shownPath: string): RunPlan {
  const read = () => {
    const text = readUserFile(fileSystem, path);
    if (text === undefined) throw new PlanNotFoundError(shownPath);
    return parsePrp(text);
  };
  return {
    path,
    criteriaCount: read().criteria.length,
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
    async abandon() {},
  };
}
