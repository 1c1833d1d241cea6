export { type PrpCriterion, type PrpPlan, parsePrp } from './prp/parse-prp.js';
