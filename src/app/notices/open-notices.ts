import {
  type NoticeDesk,
  NoticeDuty,
  type NoticeEvent,
  NoticeStore,
  Notices,
  noticeDesk,
  type OpenedChannel,
  openChannel,
  parseQuietHours,
  QuestionStandings,
  type Screen,
} from '../../notices/index.js';
import { isFleetKnown } from '../fleet/fleet-known.js';
import { noticesElsewhere } from '../fleet/notices-elsewhere.js';
import type { Services } from '../services.js';
import { openPushChannels } from './open-push.js';

/** How long a server or a program may take over one notice. */
const SEND_MS = 10_000;

export interface OpenNoticesOptions {
  /** The screen that this process shows a view on, if any. */
  readonly screen?: Screen | undefined;
  /** For a short-lived process: it leaves the questions of other machines to longer-lived ones. */
  readonly isBrief?: boolean | undefined;
}

/** Sends notices of what this process sees, through the channels of the user's own config, until disposed. */
export function openNotices(services: Services, options: OpenNoticesOptions = {}): Notices {
  const { clock, log, questions } = services;
  return new Notices({ ...partsOf(services, options), questions, clock, log });
}

/** What a person can do about notices. */
export function openNoticeDesk(services: Services, options: OpenNoticesOptions = {}): NoticeDesk {
  const { clock, tools } = services;
  return noticeDesk({ ...partsOf(services, options), clock, ids: tools.ids });
}

export type { NoticeEvent };

function partsOf(services: Services, { screen, isBrief = false }: OpenNoticesOptions) {
  const { clock, log, questions, config, tools, environment, programs } = services;
  const store = new NoticeStore(tools, config.layout.notices);
  const channelTools = {
    ...tools,
    registry: programs,
    environment,
    home: config.roots.home,
    timeoutMs: SEND_MS,
    platform: process.platform,
    screen,
  };
  const configured: OpenedChannel[] = Object.entries(config.get('notices.channels')).map(
    ([name, settings]) => ({
      name,
      settings,
      channel: openChannel(channelTools, settings),
    }),
  );
  const quiet = config.get('notices.quietHours');
  const settings = {
    quietHours: (quiet === undefined ? undefined : parseQuietHours(quiet)) ?? null,
    digestMs: config.get('notices.digestSeconds') * 1_000,
  };
  const isToldOfOthers = !isBrief && config.get('notices.fleet') && isFleetKnown(services);
  const elsewhere = isToldOfOthers ? noticesElsewhere(services) : undefined;
  const standings = new QuestionStandings(questions, elsewhere);
  const pushed = openPushChannels(services, standings, SEND_MS);
  const duty = new NoticeDuty({
    store,
    // Devices come and go while a process lives.
    get channels() {
      return [...configured, ...pushed()];
    },
    settings,
    clock,
    log,
    statuses: (others) => standings.statuses(others),
  });
  return { store, standings, elsewhere, channels: [...configured, ...pushed()], duty };
}
