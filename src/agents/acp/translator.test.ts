import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../events.js';
import { ACP_PRESETS } from './presets.js';
import { SessionUpdate } from './schema.js';
import { toolKindOf } from './tool-calls.js';
import { statusIn, Translator } from './translator.js';

describe('updates of a session as events', () => {
  it('shows what is said and what is thought, in order', () => {
    expect(translate([chunk('Hel'), thought('hm'), chunk('lo')])).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'lo' },
    ]);
  });

  it('does not mistake the announcement of a call for its result', () => {
    const shown = [{ type: 'content', content: { type: 'text', text: '[current working directory /work]' } }];
    const events = translate([
      { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'ls', status: 'in_progress', content: shown },
      callUpdate({ status: 'completed', content: [] }),
    ]);
    expect(events.at(-1)).toEqual({ type: 'tool-result', id: 't1', isError: false, output: '' });
  });

  it.each([
    [
      'an image',
      { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '', mimeType: 'image/png' } },
    ],
    ['an empty chunk', chunk('')],
    [
      'an echo of the prompt',
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'do it' } },
    ],
    ['a plan', { sessionUpdate: 'plan', entries: [{ content: 'x', priority: 'high', status: 'pending' }] }],
    ['a list of commands', { sessionUpdate: 'available_commands_update', availableCommands: [] }],
    ['a change of mode', { sessionUpdate: 'current_mode_update', currentModeId: 'yolo' }],
    ['a title', { sessionUpdate: 'session_info_update', title: 'A talk' }],
    ['an informal notice', { sessionUpdate: 'notice', severity: 'info', title: 'psst' }],
    ['a kind that is not known yet', { sessionUpdate: 'hologram', content: [{ beam: 1 }] }],
    ['a tool call without an id', { sessionUpdate: 'tool_call', title: 'x' }],
  ])('shows nothing of %s', (_name, update) => {
    expect(translate([update])).toEqual([]);
  });

  it('shows a warning of the agent as an error that does not end the exchange', () => {
    const notice = {
      sessionUpdate: 'notice',
      severity: 'warning',
      title: 'Slow',
      description: 'the model is busy',
    };
    expect(translate([notice])).toEqual([
      { type: 'error', message: 'Slow: the model is busy', status: null },
    ]);
  });

  it('turns the pieces that an agent sends into one call and one result', () => {
    const events = translate([
      call({ title: 'Write', kind: 'edit', status: 'pending', rawInput: {} }),
      chunk('writing'),
      callUpdate({ title: 'Write a.txt', rawInput: { path: 'a.txt' } }),
      callUpdate({ status: 'in_progress' }),
      callUpdate({ status: 'completed', content: [text('written'), text('well')] }),
      callUpdate({ status: 'completed', content: [text('again')] }),
    ]);
    expect(events).toEqual([
      { type: 'text', text: 'writing' },
      {
        type: 'tool-call',
        id: 't1',
        name: 'Write a.txt',
        kind: 'edit',
        title: 'Write a.txt',
        input: { path: 'a.txt' },
      },
      { type: 'tool-result', id: 't1', isError: false, output: 'written\nwell' },
    ]);
  });

  it('shows a call of opencode once, with what it is about', () => {
    const begins = { title: 'write', kind: 'edit', status: 'in_progress', rawInput: {} };
    const rawInput = { filePath: 'src/x.ts', content: 'x' };
    const events = translate([
      call({ ...begins, status: 'pending' }),
      callUpdate(begins),
      callUpdate({ ...begins, rawInput }),
      callUpdate({ status: 'completed', title: 'src/x.ts', rawInput, rawOutput: { output: 'written' } }),
    ]);
    expect(events).toEqual([
      { type: 'tool-call', id: 't1', name: 'write', kind: 'edit', title: 'write src/x.ts', input: rawInput },
      { type: 'tool-result', id: 't1', isError: false, output: 'written' },
    ]);
    const bash = { title: 'bash', kind: 'execute', status: 'in_progress', rawInput: { command: 'npm test' } };
    expect(translate([call(bash)])).toMatchObject([{ title: 'bash npm test' }]);
  });

  it('shows a call that comes finished, and one that is only updated', () => {
    const done = {
      title: 'ls',
      name: 'shell',
      kind: 'execute',
      status: 'failed',
      rawOutput: { formatted_output: 'no' },
    };
    const expected = [
      { type: 'tool-call', id: 't1', name: 'shell', kind: 'execute', title: 'ls', input: null },
      { type: 'tool-result', id: 't1', isError: true, output: 'no' },
    ];
    expect(translate([call(done)])).toEqual(expected);
    expect(translate([callUpdate(done)])).toEqual(expected);
  });

  it('shows at the end a call that never got beyond pending', () => {
    expect(translate([call({ title: 'Write', kind: 'edit', status: 'pending' })])).toEqual([
      { type: 'tool-call', id: 't1', name: 'Write', kind: 'edit', title: 'Write', input: null },
    ]);
  });

  it('names a tool as the agent does, in one short line', () => {
    const [event] = translate([
      call({
        title: `cat <<E\n${'x'.repeat(500)}`,
        status: 'in_progress',
        _meta: { claudeCode: { toolName: 'Bash' } },
      }),
    ]);
    expect(event).toMatchObject({ name: 'Bash', title: expect.stringMatching(/^cat <<E x{190,}…$/) });
    expect((event as { title: string }).title).toHaveLength(200);
  });

  it('keeps the full title if the agent reports nothing else: people decide by it', () => {
    const title = `make ${'x'.repeat(500)}; rm y`;
    expect(translate([call({ title, kind: 'execute', status: 'in_progress' })])).toMatchObject([
      { input: { command: title } },
    ]);
  });

  it('knows when a tool is running', () => {
    const translator = new Translator(ACP_PRESETS.acp);
    expect(translator.hasOpenToolCall).toBe(false);
    translator.apply(SessionUpdate.parse(call({ title: 'ls', status: 'in_progress' })));
    expect(translator.hasOpenToolCall).toBe(true);
    translator.apply(SessionUpdate.parse(callUpdate({ status: 'completed' })));
    expect(translator.hasOpenToolCall).toBe(false);
  });

  it.each([
    ['text', { content: [text('out')], rawOutput: 'raw' }, 'out'],
    [
      'a new file',
      { content: [{ type: 'diff', path: 'a', oldText: null, newText: 'x\ny\n' }] },
      'a: new file → 2 lines',
    ],
    ['an edit', { content: [{ type: 'diff', path: 'a', oldText: 'x', newText: '' }] }, 'a: 1 line → 0 lines'],
    ['raw text', { rawOutput: 'raw' }, 'raw'],
    ['raw output', { rawOutput: { output: 'raw', metadata: 1 } }, 'raw'],
    ['any value', { rawOutput: { exit: 3 } }, '{"exit":3}'],
    ['nothing', { content: [{ type: 'terminal', terminalId: 't' }, 7] }, ''],
  ])('takes the output of a tool from %s', (_name, fields, output) => {
    const events = translate([
      call({ title: 'x', status: 'in_progress' }),
      callUpdate({ status: 'completed', ...fields }),
    ]);
    expect(events.at(-1)).toEqual({ type: 'tool-result', id: 't1', isError: false, output });
  });

  it.each([
    ['read', 'read'],
    ['search', 'read'],
    ['edit', 'edit'],
    ['delete', 'delete'],
    ['move', 'move'],
    ['execute', 'execute'],
    ['fetch', 'fetch'],
    ['think', 'other'],
    ['switch_mode', 'other'],
    ['other', 'other'],
    ['hologram', 'other'],
    [undefined, 'other'],
  ])('takes the kind %s as %s', (kind, expected) => {
    expect(toolKindOf(kind)).toBe(expected);
  });

  it('drops what Gemini says about its mode in the words of the model', () => {
    const updates = [chunk('[MODE_UPDATE] yolo'), chunk('Hello')];
    expect(translate(updates, new Translator(ACP_PRESETS.gemini))).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(translate(updates)).toHaveLength(2);
  });

  it('says a repeated text once for agents that repeat it, and starts afresh after a tool', () => {
    const said = [chunk('I will write it now.'), chunk('I will write it now. Yes.')];
    const updates = [...said, call({ title: 'ls', status: 'completed' }), chunk('I will write it now.')];
    const texts = translate(updates, new Translator(ACP_PRESETS.opencode)).filter(
      ({ type }) => type === 'text',
    );
    expect(texts).toEqual([
      { type: 'text', text: 'I will write it now.' },
      { type: 'text', text: ' Yes.' },
      { type: 'text', text: 'I will write it now.' },
    ]);
    expect(translate(said)).toHaveLength(2);
  });

  describe('retries that Codex reports in metadata', () => {
    const error = (message: string) => ({
      sessionUpdate: 'session_info_update',
      _meta: {
        codex: { error: { message, codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 500 } } } },
      },
    });

    it('are reported, counted, with the status', () => {
      expect(translate([error('first'), error('second')])).toEqual([
        { type: 'retry', attempt: 1, delayMs: null, status: 500, message: 'first' },
        { type: 'retry', attempt: 2, delayMs: null, status: 500, message: 'second' },
      ]);
    });

    it.each([
      ['stay in trouble when only an error text follows', [chunk('500 Internal')], 'first'],
      ['are over when the model speaks', [{ ...chunk('Hi'), messageId: 'm1' }], null],
      ['are over when it thinks', [thought('hm')], null],
      ['are over when a tool is called', [call({ title: 'ls' })], null],
      ['are over when tokens are counted', [{ sessionUpdate: 'usage_update', used: 1, size: 2 }], null],
    ])('%s', (_name, updates, expected) => {
      const translator = new Translator(ACP_PRESETS['codex-acp']);
      translate([error('first'), ...updates], translator);
      expect(translator.trouble).toBe(expected);
    });
  });

  it('never throws, whatever comes, and gives each call at most one result', () => {
    const kinds = fc.constantFrom(
      'agent_message_chunk',
      'agent_thought_chunk',
      'tool_call',
      'tool_call_update',
      'usage_update',
      'session_info_update',
      'notice',
      'plan',
      'x',
    );
    const field = fc.oneof(fc.constantFrom('pending', 'completed', 'failed', 'a', 'text'), fc.jsonValue());
    const names = fc.constantFrom(
      'toolCallId',
      'title',
      'kind',
      'status',
      'content',
      'rawInput',
      'rawOutput',
      'locations',
      '_meta',
      'messageId',
      'used',
      'cost',
      'severity',
    );
    const update = fc
      .tuple(kinds, fc.dictionary(names, field))
      .map(([kind, fields]) => ({ ...fields, sessionUpdate: kind }));
    fc.assert(
      fc.property(fc.array(update, { maxLength: 20 }), (updates) => {
        const events = translate(updates, new Translator(ACP_PRESETS.gemini));
        const ids = (type: string) =>
          events.filter((event) => event.type === type).map((event) => (event as { id: string }).id);
        expect(new Set(ids('tool-result')).size).toBe(ids('tool-result').length);
        expect(new Set(ids('tool-call')).size).toBe(ids('tool-call').length);
        for (const id of ids('tool-result')) expect(ids('tool-call')).toContain(id);
      }),
    );
  });
});

it('finds an HTTP status wherever the agent put it', () => {
  expect(statusIn({ data: { statusCode: 503 } })).toBe(503);
  expect(statusIn({ status: 'failed', code: 7 })).toBe(null);
  expect(statusIn('429')).toBe(null);
});

function translate(updates: readonly object[], translator = new Translator(ACP_PRESETS.acp)): AgentEvent[] {
  const events = updates.flatMap((update) => translator.apply(SessionUpdate.parse(update)));
  return [...events, ...translator.finish()];
}

const chunk = (said: string) => ({ sessionUpdate: 'agent_message_chunk', content: text(said).content });
const thought = (said: string) => ({ sessionUpdate: 'agent_thought_chunk', content: text(said).content });
const call = (fields: object) => ({ sessionUpdate: 'tool_call', toolCallId: 't1', ...fields });
const callUpdate = (fields: object) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't1', ...fields });
const text = (said: string) => ({ type: 'content', content: { type: 'text', text: said } });
