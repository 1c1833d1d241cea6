export { codexDriver } from './driver.js';
