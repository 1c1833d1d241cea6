import { REAL_AGENTS } from './real-agents.js';
import { describeRealAgent } from './suite.js';

describeRealAgent(REAL_AGENTS.gemini, {
  tellsRetry: false,
  overload: 'failed',
  brokenFrame: 'failed',
  resumesFromNextMinute: true,
  hasSandbox: false,
  repeatsText: false,
  tellsCommandOutcome: false,
  survivesReset: false,
  hidesDeniedCalls: true,
  forgetsCancelledAnswer: true,
});
