import { vapidPath } from '../../notices/channels/push/vapid-path.js';
import type { Services } from '../base.js';

/** Whether a browser ever asked how to subscribe. If not, no notice code needs to be loaded for it. */
export function isPushKnown({ config, tools }: Pick<Services, 'config' | 'tools'>): boolean {
  return tools.fileSystem.look(vapidPath(config.layout.web)) !== undefined;
}
