// One chunk for all of them: they share nearly everything, and each file that is loaded costs a start.
export { default as clean } from './sessions-clean.js';
export { default as remove } from './sessions-delete.js';
export { default as exportOne } from './sessions-export.js';
export { default as list } from './sessions-list.js';
export { default as recover } from './sessions-recover.js';
export { default as show } from './sessions-show.js';
export { default as trash } from './sessions-trash.js';
export { default as verify } from './sessions-verify.js';
