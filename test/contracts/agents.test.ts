import { acpDriver } from '../../src/agents/acp/index.js';
import { claudeDriver } from '../../src/agents/claude/index.js';
import { codexDriver } from '../../src/agents/codex/index.js';
import type { AgentDriver } from '../../src/agents/driver.js';
import { lineDriver } from '../../src/agents/line/index.js';
import type { Protocol } from '../../src/agents/scripted/program/launch.js';
import { PROMPT_END, promptNotes, scriptedStart } from '../support/agents-scripted.js';
import { type AgentSetup, describeAgentDriver, type Feature } from './agent-driver.js';

const line = lineDriver({ promptTerminator: PROMPT_END, failureMarkers: ['[FAILED]'] });

describeAgentDriver(
  'line',
  scripted('line', line, [
    'tools',
    'thinking',
    'refusal',
    'turn-limit',
    'context-overflow',
    'retry',
    'rate-limit',
    'limit-warning',
  ]),
);
describeAgentDriver('claude', scripted('claude', claudeDriver, []));
describeAgentDriver('codex', scripted('codex', codexDriver, ['refusal', 'turn-limit', 'limit-warning']));
describeAgentDriver('acp', scripted('acp', acpDriver(), ['limit-warning']));

/** The scripted program behind a driver. */
function scripted(protocol: Protocol, driver: AgentDriver, lacks: readonly Feature[]): AgentSetup {
  return {
    driver,
    lacks,
    prepare: (world, play) => scriptedStart(world, protocol, play),
    promptsKnown(world) {
      const last = promptNotes(world).at(-1);
      const earlier = last?.history.filter(({ role }) => role === 'user').map(({ text }) => text) ?? [];
      return last === undefined ? [] : [...earlier, last.prompt];
    },
    systemPrompt: (world) => promptNotes(world).at(-1)?.system ?? null,
  };
}
