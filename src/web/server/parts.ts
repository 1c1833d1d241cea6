import type { Services } from '../../app/services.js';
import type { RunFactsParts } from '../../overview/index.js';
import type { ReportParts, SteeringParts } from '../../run/index.js';
import type { TranscriptParts } from '../../sessions/conversation/index.js';
import type { QuestionDeskParts } from '../../sessions/question/index.js';
import type { WebPlace } from './files/web-place.js';
import type { OwnOrigins } from './gate/own-origins.js';
import type { Rate, WebLimits } from './gate/rates.js';
import type { Feed } from './live/feed.js';
import type { RunTools } from './live/run-tools.js';
import type { SessionShelf } from './live/session-shelf.js';
import type { Streams } from './live/streams.js';

/** Everything the routes work with. */
export interface WebParts
  extends QuestionDeskParts,
    RunFactsParts,
    SteeringParts,
    ReportParts,
    TranscriptParts {
  readonly shelf: SessionShelf;
  readonly runTools: RunTools;
  readonly services: Services;
  readonly place: WebPlace;
  readonly origins: OwnOrigins;
  readonly limits: WebLimits;
  readonly failures: Rate;
  readonly writes: Rate;
  readonly feed: Feed;
  readonly streams: Streams;
  /** Fires when the server ends. */
  readonly signal: AbortSignal;
}
