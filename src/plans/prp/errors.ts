import { HoldfastError, visibleExcerpt } from '../../foundation/index.js';

/** There is no plan with that name, or nothing that can be read as one. */
export class PlanNotFoundError extends HoldfastError<'PLAN_NOT_FOUND'> {
  readonly code = 'PLAN_NOT_FOUND';

  constructor(path: string, options: { reason?: string; cause?: unknown } = {}) {
    const { reason, ...rest } = options;
    const why = reason === undefined ? '' : `: ${reason}`;
    super(`There is no plan at ${visibleExcerpt(path, 200)}${why}`, {
      ...rest,
      hint: 'Give the path of a PRP (a Markdown file with a section of success criteria), or `--change <name>`.',
    });
  }
}
