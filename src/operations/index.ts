import { catalogOperations } from '../catalog/operations.js';
import { listLeft, moveRun, releaseRun } from '../fleet/move-operations.js';
import { fleetOperations } from '../fleet/operations.js';
import type { OperationFacts, Surface } from '../foundation/index.js';
import { noticeOperations } from '../notices/operations.js';
import { overviewOperations } from '../overview/operations.js';
import { queueOperations } from '../queue/operations.js';
import { runOperations } from '../run/operations.js';
import { serviceOperations } from '../service/operations.js';
import { changeOperations } from '../sessions/change/operations.js';
import { conversationOperations } from '../sessions/conversation/operations.js';
import { loopOperations } from '../sessions/loop/operations.js';
import { processOperations } from '../sessions/process/operations.js';
import { questionOperations } from '../sessions/question/operations.js';
import { pathOperations } from './paths.js';
import { pocketOperations } from './pocket.js';
import { settingOperations } from './settings.js';
import { webOperations } from './web.js';

export type { SettingReport, Settings } from './settings.js';

/**
 * Every action that somebody outside this program can ask for: at the command line, as an agent, on the page. A surface is
 * built from the operations that name it. Screens of the terminal are part of the program and call the same objects.
 */
export const OPERATIONS = [
  ...questionOperations,
  ...changeOperations,
  ...conversationOperations,
  ...loopOperations,
  ...processOperations,
  ...runOperations,
  ...queueOperations,
  ...overviewOperations,
  ...catalogOperations,
  ...noticeOperations,
  ...serviceOperations,
  ...fleetOperations,
  moveRun,
  releaseRun,
  listLeft,
  ...settingOperations,
  ...pathOperations,
  ...webOperations,
  ...pocketOperations,
] as const satisfies readonly OperationFacts[];

/** The operations that may appear on a surface, and no others. */
export function operationsOn<Facts extends OperationFacts>(
  surface: Surface,
  operations: readonly Facts[],
): Facts[] {
  return operations.filter(({ surfaces }) => surfaces.includes(surface));
}
