export { UnitNotOursError } from './errors.js';
export {
  type InstallReport,
  installService,
  removeService,
  type ServiceDesk,
  type ServiceParts,
  type ServiceReport,
  showService,
} from './operations.js';
export {
  installUnit,
  removeUnit,
  type ServiceChange,
  type ServiceTools,
  unitPath,
  unitStatus,
} from './service.js';
export { planStart, type ServiceProject, type StartReport, startRuns } from './start-runs.js';
export { unitText, workerUnitText } from './unit.js';
