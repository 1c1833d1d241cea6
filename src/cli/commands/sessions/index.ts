// One chunk for all of them: they share nearly everything, and each file that is loaded costs a start.
export { default as clean } from './clean.js';
export { default as remove } from './delete.js';
export { default as exportOne } from './export.js';
export { default as list } from './list.js';
export { default as recover } from './recover.js';
export { default as show } from './show.js';
export { default as trash } from './trash.js';
export { default as verify } from './verify.js';
