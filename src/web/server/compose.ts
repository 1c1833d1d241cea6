import { openOverview } from '../../app/overview/open-overview.js';
import { openRuns } from '../../app/run/open-runs.js';
import type { Services } from '../../app/services.js';
import { openTranscripts } from '../../app/sessions/open-transcripts.js';
import { Rate } from './gate/rates.js';
import { anyRuns } from './live/any-runs.js';
import type { OpenElsewhere } from './live/elsewhere.js';
import { Feed } from './live/feed.js';
import { RunTools } from './live/run-tools.js';
import { SessionShelf } from './live/session-shelf.js';
import type { WebParts } from './parts.js';

/** The parts a server has before the first request. */
export type OwnParts = Pick<WebParts, 'place' | 'origins' | 'limits' | 'signal' | 'streams'>;

/** The parts of a server, built from the product's services. */
export function composeWeb(services: Services, own: OwnParts, fleet?: OpenElsewhere): WebParts {
  const { clock, log } = services;
  const questions = fleet?.questions ?? services.questions;
  const feed = new Feed({
    overview: openOverview(services, fleet?.overview),
    questions,
    elsewhere: fleet?.elsewhere,
    clock,
    log,
  });
  return {
    ...own,
    services,
    questions,
    failures: new Rate(clock, own.limits.signInFailures),
    writes: new Rate(clock, own.limits.writes),
    feed,
    // No Git process is started from here.
    runs: openRuns(services, { looksAtTree: false }),
    transcripts: openTranscripts(services),
    runTools: new RunTools(services),
    shelf: new SessionShelf(services),
    ...anyRuns({ services, feed, elsewhere: fleet?.runs, signal: own.signal }),
  };
}
