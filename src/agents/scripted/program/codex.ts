import { type Actor, type Answer, answer, newId } from './actor.js';
import { CodexVoice, limitText } from './codex-voice.js';
import type { Conversation } from './conversation.js';
import { readAll } from './input.js';

/** Plays `codex exec --json`: one prompt, one process, totals of the whole thread. */
export async function playCodex(actor: Actor): Promise<void> {
  const { launch, conversations, stage } = actor;
  const { resume } = launch;
  process.once('SIGINT', () => process.exit(1));
  // The real one reads an open pipe to its end before it does anything, whether or not it has a prompt.
  const piped = await readAll(process.stdin);
  if (resume !== null && !conversations.has(resume)) {
    process.stderr.write(`Error: thread/resume failed: no rollout found for thread id ${resume}\n`);
    return actor.leave(1);
  }
  const prompt = launch.prompt === null || launch.prompt === '-' ? piped : launch.prompt;
  const conversation = conversations.open(resume ?? newId());
  const voice = new CodexVoice(stage.output, launch);
  await stage.output.json({ type: 'thread.started', thread_id: conversation.id });
  await stage.output.json({ type: 'turn.started' });
  const played = await answer(actor, conversation, prompt, voice, new AbortController().signal);
  const problem = problemOf(played);
  if (problem === null) await stage.output.json({ type: 'turn.completed', usage: totals(conversation) });
  else {
    await stage.output.json({ type: 'error', message: problem });
    await stage.output.json({ type: 'turn.failed', error: { message: problem } });
  }
  actor.leave(played.turn.exit ?? (problem === null ? 0 : 1));
}

function problemOf({ outcome }: Answer): string | null {
  switch (outcome.end) {
    case 'completed':
      return null;
    case 'failed':
      return outcome.status === null ? outcome.message : `${outcome.message}, last status: ${outcome.status}`;
    case 'rate-limited':
      return limitText(outcome.resetsAt);
    case 'context-overflow':
      return "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";
    default:
      return `the turn ended: ${outcome.end}`;
  }
}

function totals({ total }: Conversation): Record<string, number> {
  return {
    input_tokens: total.input + total.cacheRead + total.cacheWrite,
    cached_input_tokens: total.cacheRead,
    cache_write_input_tokens: total.cacheWrite,
    output_tokens: total.output,
    reasoning_output_tokens: 0,
  };
}
