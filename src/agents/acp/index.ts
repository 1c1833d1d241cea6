export { type AcpDriverOptions, acpDriver } from './driver.js';
export { ACP_PRESETS, type AcpPreset } from './presets.js';
