import { describe, expect, it } from 'vitest';
import { parseScript, turnAfter } from './script.js';

const parse = (script: unknown) => parseScript(JSON.stringify(script));

describe('a script', () => {
  it('is read with all defaults filled in', () => {
    const script = parse({
      comment: 'two turns',
      turns: [
        { steps: [{ say: 'Hello' }, { run: 'ls' }] },
        { steps: [{ fail: { message: 'no', status: 529 } }], end: 'refused', exit: 3, comment: 'bad' },
        {},
      ],
    });
    expect(script).toEqual({
      turns: [
        {
          steps: [
            { name: 'say', value: 'Hello' },
            { name: 'run', value: 'ls' },
          ],
          end: 'completed',
          exit: null,
        },
        { steps: [{ name: 'fail', value: { message: 'no', status: 529 } }], end: 'refused', exit: 3 },
        { steps: [], end: 'completed', exit: null },
      ],
      onExhausted: 'echo',
    });
  });

  it.each([
    ['{', /^The script is not JSON: /],
    [[], /^script: /],
    [{ turn: [] }, /^script: unknown key "turn"/],
    [
      { turns: [{ steps: [{ sya: 'x' }] }] },
      /^turns\[0\]\.steps\[0\]: there is no step "sya" \(there are say, think/,
    ],
    [
      { turns: [{}, { steps: [{ say: 'x', think: 'y' }] }] },
      /^turns\[1\]\.steps\[0\]: a step has exactly one key, not 2/,
    ],
    [{ turns: [{ steps: [{}] }] }, /exactly one key, not 0/],
    [{ turns: [{ steps: [{ toString: 'x' }] }] }, /there is no step "toString"/],
    [{ turns: [{ steps: [{ write: { path: 'a' } }] }] }, /^turns\[0\]\.steps\[0\]\.write\.content: /],
    [{ turns: [{ steps: [{ hang: false }] }] }, /^turns\[0\]\.steps\[0\]\.hang: /],
    [{ turns: [{ steps: [{ flood: { stream: 'stdin', bytes: 1 } }] }] }, /flood\.stream: /],
    [{ turns: [{ steps: [{ say: 5 }] }] }, /^turns\[0\]\.steps\[0\]\.say: /],
    [
      { turns: [{ steps: [{ say: { text: 'x', repeat: 0 } }] }] },
      /say\.repeat: not a whole number of 1 or more/,
    ],
    [{ turns: [{ steps: [{ run: '' }] }] }, /run: empty or not text/],
    [{ turns: [{ steps: [{ ask: { server: 'a' } }] }] }, /ask\.questions: missing/],
    [{ turns: [{ steps: [{ usage: { inputs: 1 } }] }] }, /usage: unknown key "inputs"/],
    [{ turns: [{ steps: [{ crash: { code: 256 } }] }] }, /crash\.code: not a whole number from 0 to 255/],
    [{ turns: [{ steps: [{ delay: -1 }] }] }, /delay: /],
    [{ turns: [{ steps: [{ garbage: { base64: 'a' } }] }] }, /garbage\.base64: not base64/],
    [{ turns: [{ exit: 1.5 }] }, /^script\.turns\.0\.exit: /],
    [{ turns: [{ steps: {} }] }, /^script\.turns\.0\.steps: not an array/],
    [{ turns: [{ end: 'well' }] }, /^script\.turns\.0\.end: /],
    [{ onExhausted: 'stop' }, /^script\.onExhausted: /],
  ])('that cannot be played says where and why: %j', (script, message) => {
    const text = typeof script === 'string' ? script : JSON.stringify(script);
    expect(() => parseScript(text)).toThrow(message);
  });

  it('may have every kind of step, in short or long form', () => {
    const steps = [
      { say: { text: 'x', repeat: 2 } },
      { think: 'hm' },
      { write: { path: 'a', content: '' } },
      { edit: { path: 'a', find: 'b', replace: '' } },
      { ask: { questions: [{ prompt: 'Which?' }], priority: 'high' } },
      { permission: { tool: 'Bash', input: { command: 'ls' }, kind: 'execute' } },
      { usage: { input: 1, cost: 0.5, window: 200_000 } },
      { retry: {} },
      { rateLimit: { resetsInSeconds: -1, status: 'warning' } },
      { fail: 'no' },
      { hang: true },
      { hang: 'deaf' },
      { crash: true },
      { crash: { code: 255 } },
      { flood: { stream: 'stderr', bytes: 1 } },
      { delay: 0.5 },
      { garbage: { base64: 'w/8=' } },
      { pieces: 0 },
      { ignoreTerm: true },
      { grandchild: 'sleep 1' },
      { grandchild: { command: 'sleep 1', holdsOutput: false } },
      { closeStdout: true },
    ];
    const made = steps.map((step) => Object.entries(step).map(([name, value]) => ({ name, value }))[0]);
    expect(parse({ turns: [{ steps }] }).turns[0]?.steps).toEqual(made);
  });

  it('gives each prompt its turn', () => {
    const script = parse({ turns: [{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }] });
    expect(turnAfter(script, 1).steps).toEqual([{ name: 'say', value: 'two' }]);
  });

  it.each([
    ['echo', { name: 'say', value: 'You said: {{prompt}}' }],
    ['repeat-last', { name: 'say', value: 'one' }],
    ['fail', { name: 'fail', value: 'the script has no more turns' }],
  ])('that is exhausted continues as it says: %s', (onExhausted, step) => {
    const script = parse({ turns: [{ steps: [{ say: 'one' }] }], onExhausted });
    expect(turnAfter(script, 5).steps).toEqual([step]);
  });

  it('without turns echoes whatever it is told', () => {
    expect(turnAfter(parse({ onExhausted: 'repeat-last' }), 0).steps[0]?.name).toBe('say');
  });
});
