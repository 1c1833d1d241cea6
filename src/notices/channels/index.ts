import type { Clock } from '../../foundation/index.js';
import type { ChannelSettings } from '../settings.js';
import type { Channel } from './channel.js';
import { commandChannel } from './command.js';
import { desktopChannel } from './desktop.js';
import { gotifyChannel } from './gotify.js';
import { ntfyChannel } from './ntfy.js';
import type { NoticePrograms } from './programs.js';
import { type Screen, terminalChannel } from './terminal.js';
import { webhookChannel } from './webhook.js';

/** What channels are made with. */
export interface ChannelTools extends NoticePrograms {
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  readonly screen: Screen | undefined;
}

/** The channel that the settings describe. It reads and starts nothing until it is used. */
export function openChannel(
  tools: ChannelTools,
  settings: Exclude<ChannelSettings, { type: 'push' }>,
): Channel {
  switch (settings.type) {
    case 'terminal':
      return terminalChannel(tools, settings);
    case 'desktop':
      return desktopChannel(tools, tools.platform);
    case 'ntfy':
      return ntfyChannel(tools, settings);
    case 'gotify':
      return gotifyChannel(tools, settings);
    case 'webhook':
      return webhookChannel(tools, settings);
    case 'command':
      return commandChannel(tools, settings);
  }
}
