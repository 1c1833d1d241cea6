export { type DemoOptions, runDemo } from './demo.js';
