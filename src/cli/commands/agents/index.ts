import { list } from './list.js';
import { probe } from './probe.js';

export const commands = [list, probe];
