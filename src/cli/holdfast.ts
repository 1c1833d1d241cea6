import { startProgram } from './entry.js';
import { ROOT_HELP } from './root-help.js';

startProgram('holdfast', ROOT_HELP);
