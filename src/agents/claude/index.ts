export { claudeDriver } from './driver.js';
