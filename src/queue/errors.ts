import { HoldfastError, visibleExcerpt, visibleLine } from '../foundation/index.js';
import type { Entry } from './schema.js';

/** The queue has no such entry. */
export class EntryNotFoundError extends HoldfastError<'ENTRY_NOT_FOUND'> {
  readonly code = 'ENTRY_NOT_FOUND';

  constructor(typed: string) {
    super(`There is no such entry in the queue: ${visibleExcerpt(typed, 80)}`, {
      hint: 'See them all with `holdfast queue list --all`, and name one by 4 or more characters of its id.',
    });
  }
}

/** A running entry cannot be changed. */
export class EntryRunningError extends HoldfastError<'ENTRY_RUNNING'> {
  readonly code = 'ENTRY_RUNNING';

  constructor({ id, status, runId, plan }: Entry) {
    const run = runId?.slice(0, 8) ?? '';
    const isOver = status !== 'running';
    super(
      `${id.slice(0, 8)} ${visibleLine(plan.name)} ${isOver ? `is ${status}` : `is being run as ${run}`}, and cannot be changed`,
      {
        hint: isOver
          ? status === 'failed'
            ? `Try it again with \`holdfast queue retry ${id.slice(0, 8)}\`.`
            : 'Queue it again with `holdfast queue add`.'
          : `Steer the run instead: \`holdfast pause ${run}\`, \`holdfast stop ${run}\`.`,
      },
    );
  }
}

/** Other entries continue an entry's work, or wait for it. */
export class EntryNeededError extends HoldfastError<'ENTRY_NEEDED'> {
  readonly code = 'ENTRY_NEEDED';

  constructor({ id }: Entry, others: readonly Entry[]) {
    super(
      `${id.slice(0, 8)} has entries that come after it: ${others.map((other) => other.id.slice(0, 8)).join(', ')}`,
      {
        hint: 'Remove those first, or let them come after something else: `holdfast queue edit <id> --after …`.',
      },
    );
  }
}

/** Entries that would wait for each other for ever. */
export class QueueCycleError extends HoldfastError<'QUEUE_CYCLE'> {
  readonly code = 'QUEUE_CYCLE';

  constructor(ids: readonly string[]) {
    super(`These would wait for each other for ever: ${ids.map((id) => id.slice(0, 8)).join(' → ')}`, {
      hint: 'Choose another --after.',
    });
  }
}
