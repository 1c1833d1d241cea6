import type { Services } from '../../../app/index.js';
import { runServices } from '../../../app/run/run-services.js';
import { isHoldfastError } from '../../../foundation/index.js';
import { type RunEnd, readRunRecords, reportRun } from '../../../run/index.js';
import { renderRunEnd } from '../../render/report.js';

/** What a run did, for when it is over; nothing where its files cannot be read any more. */
export async function describeEnd(services: Services, { outcome }: RunEnd): Promise<string[]> {
  try {
    return renderRunEnd(reportRun(await readRunRecords(runServices(services))), outcome);
  } catch (error) {
    // How it ended was said already; somebody may have taken the session away.
    if (!isHoldfastError(error)) throw error;
    return [];
  }
}
