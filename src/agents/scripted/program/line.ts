import { type Actor, type Answer, answer, newId } from './actor.js';
import { readLines } from './input.js';
import type { Output } from './output.js';
import { type ToolOutcome, type ToolUse, toolTitle, type Voice } from './voice.js';

/** Plays a program without a protocol: prompts are lines, answers are text, a marker ends them. */
export function playLine(actor: Actor): void {
  const { launch, conversations, stage } = actor;
  const conversation = conversations.open(launch.resume ?? launch.sessionId ?? newId());
  const voice = new LineVoice(stage.output);
  const collected: string[] = [];
  let work: Promise<void> = Promise.resolve();

  const take = async (prompt: string) => {
    const played = await answer(actor, conversation, prompt, voice, new AbortController().signal);
    if (played.isUsageTold) await stage.output.line(`Context: ${percentage(played)}%`);
    await stage.output.line(endLine(actor, played));
    if (played.turn.exit !== null) process.exit(played.turn.exit);
  };
  const onLine = (line: string) => {
    if (collected.length === 0 && line === '/exit') return actor.leave(0);
    collected.push(line);
    if (launch.promptEnd !== null && line !== launch.promptEnd) return;
    if (launch.promptEnd !== null) collected.pop();
    const prompt = collected.splice(0).join('\n');
    work = work.then(() => take(prompt));
  };
  readLines(process.stdin, onLine, () => void work.then(() => actor.leave(0)));
}

function endLine({ launch }: Actor, { outcome }: Answer): string {
  if (outcome.end === 'completed') return launch.endMarker;
  return `${outcome.end === 'failed' ? outcome.message : outcome.end} ${launch.failureMarker}`;
}

function percentage({ usage }: Answer): number {
  const used = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  return Math.round((100 * used) / usage.window);
}

class LineVoice implements Voice {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  note(): void {}

  say(text: string): Promise<void> {
    return this.#output.line(text);
  }

  /** It keeps its thoughts to itself. */
  async think(): Promise<void> {}

  toolStart({ tool }: ToolUse): Promise<void> {
    return this.#output.line(tool.type === 'run' ? `$ ${tool.command}` : toolTitle(tool));
  }

  toolEnd({ tool }: ToolUse, { output, isError }: ToolOutcome): Promise<void> {
    if (tool.type === 'write' && !isError) return this.#output.line(`Created file ${tool.path}`);
    if (tool.type === 'edit' && !isError) return this.#output.line(`Modified file ${tool.path}`);
    return this.#output.line(output.trimEnd());
  }

  /** It has nobody to ask. */
  async refusal(): Promise<null> {
    return null;
  }

  async retry(): Promise<void> {
    process.stderr.write('trying again\n');
  }

  async warn(): Promise<void> {}
}
