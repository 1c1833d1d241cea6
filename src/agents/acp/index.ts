export type { AskPerson, Elicitation, ElicitationAnswer } from './answers.js';
export { type AcpDriverOptions, acpDriver } from './driver.js';
export { ACP_PRESETS, type AcpPreset, type AcpPresetName } from './presets.js';
