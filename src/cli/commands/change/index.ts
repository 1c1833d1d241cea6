// One chunk for all of them: they share nearly everything, and each file that is loaded costs a start.
export { default as context } from './context.js';
export { default as done } from './done.js';
export { default as flush } from './flush.js';
export { default as init } from './init.js';
export { default as learn } from './learn.js';
export { default as list } from './list.js';
export { default as nextStory } from './next-story.js';
export { default as recover } from './recover.js';
export { default as release } from './release.js';
export { default as show } from './show.js';
export { default as status } from './status.js';
export { default as undo } from './undo.js';
