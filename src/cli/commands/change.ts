// One chunk for all of them: they share nearly everything, and each file that is loaded costs a start.
export { default as context } from './change-context.js';
export { default as done } from './change-done.js';
export { default as flush } from './change-flush.js';
export { default as init } from './change-init.js';
export { default as learn } from './change-learn.js';
export { default as list } from './change-list.js';
export { default as nextStory } from './change-next-story.js';
export { default as recover } from './change-recover.js';
export { default as release } from './change-release.js';
export { default as show } from './change-show.js';
export { default as status } from './change-status.js';
export { default as undo } from './change-undo.js';
