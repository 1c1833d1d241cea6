import { findRunOf, journalOf, openOverview } from '../../app/open-overview.js';
import { openRuns } from '../../app/open-runs.js';
import { openTranscripts } from '../../app/open-transcripts.js';
import { runServices } from '../../app/run-services.js';
import type { Services } from '../../app/services.js';
import { shellWord } from '../../foundation/index.js';
import type { RunFacts } from '../../overview/index.js';
import { steerRun } from '../../run/open/steer-run.js';
import { Rate } from './gate/rates.js';
import { Feed } from './live/feed.js';
import { RunTools } from './live/run-tools.js';
import { SessionShelf } from './live/session-shelf.js';
import type { WebParts } from './parts.js';

/** What a server has before anybody comes. */
export type OwnParts = Pick<WebParts, 'place' | 'origins' | 'limits' | 'signal' | 'streams'>;

/** The parts of a server from the product as it was put together. */
export function composeWeb(services: Services, own: OwnParts): WebParts {
  const { clock, log, questions } = services;
  const feed = new Feed({ overview: openOverview(services), questions, clock, log });
  return {
    ...own,
    services,
    questions,
    failures: new Rate(clock, own.limits.signInFailures),
    writes: new Rate(clock, own.limits.writes),
    feed,
    // Git is not started from here.
    runs: openRuns(services, { looksAtTree: false }),
    transcripts: openTranscripts(services),
    runTools: new RunTools(services),
    shelf: new SessionShelf(services),
    runFacts: { read: (run) => runFacts(services, feed, run) },
    steering: {
      async steer(run, request, actor) {
        const { loops, sessionId, isArchived } = findRunOf(services, run);
        if (isArchived) return { isDone: false, words: 'A newer run of its project took its place.' };
        const there = runServices(services).at(loops.projectDirectory);
        return steerRun(there, request, { sessionId, actor, signal: own.signal });
      },
    },
  };
}

function runFacts(services: Services, feed: Feed, run: string): RunFacts {
  const { sessionId: id, loops, isArchived } = findRunOf(services, run);
  const { path, fileSystem } = journalOf(services, id);
  const there = `cd ${shellWord(loops.projectDirectory)}`;
  return {
    id,
    row: feed.row(id),
    project: loops.projectDirectory,
    isArchived,
    hasJournal: fileSystem.look(path) !== undefined,
    commands: [
      `holdfast attach ${id.slice(0, 8)}`,
      ...(isArchived ? [] : [`${there} && holdfast resume`]),
      `${there} && holdfast report${isArchived ? ` ${id.slice(0, 8)}` : ''}`,
    ],
  };
}
