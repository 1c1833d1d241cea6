import { AUR_HELP } from './aur-help.js';
import { startProgram } from './entry.js';

startProgram('aur', AUR_HELP);
