import { describe, expect, it } from 'vitest';
import type { AgentEvent } from './events.js';
import { MessageBreaks } from './message-breaks.js';

const text = (words: string, messageId?: string): AgentEvent => ({ type: 'text', text: words, messageId });
const call: AgentEvent = {
  type: 'tool-call',
  id: '1',
  name: 'Bash',
  kind: 'execute',
  title: 'ls',
  input: {},
};
const result: AgentEvent = { type: 'tool-result', id: '1', isError: false, output: '' };

function joined(events: readonly AgentEvent[]): string {
  const breaks = new MessageBreaks();
  return events
    .map((event) => breaks.apply(event))
    .map((event) => (event.type === 'text' ? event.text : ''))
    .join('');
}

describe('messages of one turn', () => {
  it.each<[string, readonly AgentEvent[], string]>([
    [
      'a blank line where a tool was used between them',
      [text('Now.'), call, result, text('---BLOCK---')],
      'Now.\n\n---BLOCK---',
    ],
    ['no more line ends than are missing', [text('Now.\n'), call, text('Then.')], 'Now.\n\nThen.'],
    ['none where the blank line is there', [text('Now.\n\n'), call, text('Then.')], 'Now.\n\nThen.'],
    ['line ends that come in pieces', [text('Now.\n'), text('\n'), call, text('Then.')], 'Now.\n\nThen.'],
    ['nothing before the first', [call, result, text('Then.')], 'Then.'],
    ['nothing inside of one', [text('a lo'), text('ng answer')], 'a long answer'],
    ['a blank line where the id changes', [text('One.', 'a'), text('Two.', 'b')], 'One.\n\nTwo.'],
    [
      'nothing where the id stays, whatever others do meanwhile',
      [text('One ', 'a'), call, result, text('more.', 'a')],
      'One more.',
    ],
    [
      'a blank line after a tool where only one has an id',
      [text('One.', 'a'), call, text('Two.')],
      'One.\n\nTwo.',
    ],
  ])('get %s', (_what, events, expected) => {
    expect(joined(events)).toBe(expected);
  });
});
