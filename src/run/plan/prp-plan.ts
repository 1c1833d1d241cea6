import { PlanNotFoundError, parsePrp, prpSections } from '../../plans/index.js';
import { PLAN_PRESETS } from '../../sessions/loop/index.js';
import { type FileSystem, readUserFile, UnsafePathError } from '../../storage/index.js';
import type { RunPlan } from './plan.js';

/**
 * A PRP document as a plan. It is read again for each iteration because people edit it. `isApart`: it is outside the agent's
 * directory, so the agent gets all of it in its prompt. Throws PLAN_NOT_FOUND.
 */
export function openPrpPlan(
  fileSystem: FileSystem,
  path: string,
  shownPath: string,
  { isApart = false }: { readonly isApart?: boolean } = {},
): RunPlan {
  const read = () => readPlan(fileSystem, path, shownPath);
  const { criteria: known, preset: asked } = parsePrp(read());
  const preset = PLAN_PRESETS.find((name) => name === asked);
  return {
    path,
    criteriaCount: known.length,
    preset,
    warnings: [
      ...(known.length === 0 ? [withoutCriteria(shownPath)] : []),
      ...(asked !== null && preset === undefined ? [unknownPreset(shownPath, asked)] : []),
    ],
    environment: () => ({}),
    async begin() {},
    async assignment() {
      const text = read();
      const { title, criteria } = parsePrp(text);
      const sections = prpSections(text);
      const known = { title: title ?? shownPath, path: shownPath, criteria, background: '', howTo: '' };
      return isApart ? { ...known, whole: text } : { ...known, sections };
    },
    async progress() {
      return undefined;
    },
    async enterStory() {},
    async finish() {},
  };
}

function readPlan(fileSystem: FileSystem, path: string, shownPath: string): string {
  // The project itself has no path inside the project.
  const shown = shownPath || path;
  let text: string | undefined;
  try {
    text = readUserFile(fileSystem, path);
  } catch (error) {
    // Mostly a directory. It belongs to the person, so advice about paths of ours would not help.
    if (!(error instanceof UnsafePathError)) throw error;
    throw new PlanNotFoundError(shown, { reason: error.reason, cause: error });
  }
  if (text === undefined) throw new PlanNotFoundError(shown);
  if (text.trim() === '') throw new PlanNotFoundError(shown, { reason: 'the file is empty' });
  return text;
}

function unknownPreset(shownPath: string, asked: string): string {
  return `${shownPath} asks for the phases ${asked}, which is not one of ${PLAN_PRESETS.join(', ')}: its front matter is ignored.`;
}

function withoutCriteria(shownPath: string): string {
  return `${shownPath} has no success criteria: the agent will work from its text alone. Add a list of them under a heading "Success Criteria".`;
}
