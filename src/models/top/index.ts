export { steeringFault, type TopAction } from './act.js';
export { inOrder, matching } from './order.js';
export { initialTop, selectedRow, type TopEffect, type TopState } from './state.js';
export { type TopEvent, update } from './update.js';
export { countsOf, labelsOf, type RowWords, SECTIONS, wordsOf } from './words.js';
