export { ChangePlan } from './openspec/change-plan.js';
export {
  ChangeNotFoundError,
  InvalidChangeNameError,
  ProjectNotFoundError,
  StoryNotFoundError,
  TaskNotFoundError,
} from './openspec/errors.js';
export {
  type Change,
  changeAround,
  directoryOfChange,
  findChange,
  findProject,
  isChangeName,
  listArchivedChanges,
  listChanges,
  type PlacedChange,
  type Project,
  placeOfChange,
} from './openspec/project.js';
export { groupSteps, type Scenario } from './openspec/scenarios.js';
export { countTasks, isComplete, type Story, type Task } from './openspec/tasks.js';
export { PlanNotFoundError } from './prp/errors.js';
export {
  type PrpCriterion,
  type PrpPlan,
  type PrpSection,
  type PrpTopic,
  parsePrp,
  prpSections,
} from './prp/parse-prp.js';
export { guessVerifyCommands } from './verify-commands.js';
