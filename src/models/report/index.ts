export { reportTree } from './document.js';
export { reportFile } from './file.js';
export { reportMarkdown } from './markdown.js';
export type { Node } from './markup.js';
export { REPORT_STYLE } from './style.js';
