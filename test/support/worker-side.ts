/** The calls a worker offers: one input, one result. */
export type Handlers = { readonly [name: string]: (input: never) => unknown };

export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'request'; readonly id: number; readonly name: string; readonly input: unknown }
  | {
      readonly kind: 'response';
      readonly id: number;
      readonly output?: unknown;
      readonly error?: { readonly message: string; readonly code?: unknown };
    }
  | { readonly kind: 'note'; readonly note: unknown };

/** Answers requests until the parent is gone. */
export function serve(handlers: Handlers): void {
  process.on('message', (message: Message) => {
    if (message.kind === 'request') void answer(handlers, message.id, message.name, message.input);
  });
  process.on('disconnect', () => process.exit());
  send({ kind: 'ready' });
}

/** Sends the parent an unsolicited note. It is written at once, so even code that never yields gets heard. */
export function tell(note: unknown): void {
  send({ kind: 'note', note });
}

async function answer(handlers: Handlers, id: number, name: string, input: unknown): Promise<void> {
  try {
    const handler = handlers[name] as ((input: unknown) => unknown) | undefined;
    if (handler === undefined) throw new Error(`no such request: ${name}`);
    send({ kind: 'response', id, output: await handler(input) });
  } catch (error) {
    const { message, code } = error as { message: string; code?: unknown };
    send({ kind: 'response', id, error: { message, code } });
  }
}

function send(message: Message): void {
  process.send?.(message);
}
