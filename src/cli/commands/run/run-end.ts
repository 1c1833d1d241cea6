import type { Services } from '../../../app/index.js';
import { runServices } from '../../../app/run/run-services.js';
import { isHoldfastError } from '../../../foundation/index.js';
import { type RunEnd, readRunRecords, reportRun } from '../../../run/index.js';
import { renderRunEnd } from '../../render/report.js';

/** What a run did, once it is over; nothing if its files can no longer be read. */
export async function describeEnd(services: Services, { outcome }: RunEnd): Promise<string[]> {
  try {
    return renderRunEnd(reportRun(await readRunRecords(runServices(services))), outcome);
  } catch (error) {
    // How it ended was already shown; somebody may have moved the session.
    if (!isHoldfastError(error)) throw error;
    return [];
  }
}
