import { HoldfastError, visibleBlock, visibleExcerpt } from '../foundation/index.js';

/** An agent started but did not get as far as taking a prompt. */
export class AgentNotStartedError extends HoldfastError<'AGENT_NOT_STARTED'> {
  readonly code = 'AGENT_NOT_STARTED';

  constructor(name: string, reason: string, options: { cause?: unknown; output?: string } = {}) {
    const output = options.output?.trim() ? `\n${visibleBlock(options.output.trim().slice(-2_000))}` : '';
    super(`The agent ${visibleExcerpt(name, 60)} did not start: ${reason}${output}`, {
      ...('cause' in options ? { cause: options.cause } : {}),
      hint: `Try it by hand, then \`holdfast agents probe ${visibleExcerpt(name, 60)}\`.`,
    });
  }
}

/** A prompt was sent while another one is being answered. */
export class AgentBusyError extends HoldfastError<'AGENT_BUSY'> {
  readonly code = 'AGENT_BUSY';

  constructor() {
    super('The agent is still working on another prompt', {
      hint: 'Wait until it is done, or cancel that prompt.',
    });
  }
}

/** A prompt was sent to an agent that has ended. */
export class AgentEndedError extends HoldfastError<'AGENT_ENDED'> {
  readonly code = 'AGENT_ENDED';

  constructor() {
    super('The agent has ended', {
      hint: 'Start it again; if it can be resumed, it continues the conversation.',
    });
  }
}

/** No known agent has this name. */
export class AgentUnknownError extends HoldfastError<'AGENT_UNKNOWN'> {
  readonly code = 'AGENT_UNKNOWN';

  constructor(name: string, known: readonly string[]) {
    super(`There is no agent ${visibleExcerpt(name, 60)}`, { hint: `Known agents: ${known.join(', ')}.` });
  }
}
