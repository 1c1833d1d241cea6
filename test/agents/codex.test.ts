import { REAL_AGENTS } from './real-agents.js';
import { describeRealAgent } from './suite.js';

describeRealAgent(REAL_AGENTS.codex, {
  tellsRetry: true,
  overload: 'failed',
  brokenFrame: 'completed',
  resumesFromNextMinute: false,
  hasSandbox: true,
  repeatsText: false,
  tellsCommandOutcome: true,
  survivesReset: true,
  hidesDeniedCalls: false,
  forgetsCancelledAnswer: false,
});
