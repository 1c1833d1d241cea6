import { isObject } from '../../foundation/index.js';

/** The path of a dotted key in `config.json`, step by step. Names that the user chose may contain dots themselves. */
export function stepsOf(key: string): readonly string[] {
  for (const open of OPEN_KEYS) {
    if (!key.startsWith(`${open}.`)) continue;
    const rest = key.slice(open.length + 1);
    const fields = FIELDS[open];
    const field = fields === undefined ? undefined : new RegExp(`^(.+)\\.(${fields.join('|')})$`).exec(rest);
    return [...open.split('.'), ...(field ? [field[1] ?? '', field[2] ?? ''] : [rest])];
  }
  return key.split('.');
}

/** Keys whose next step is a name that the user chose. */
const OPEN_KEYS: readonly string[] = [
  'loop.prompts',
  'queue.agentSlots',
  'notices.channels',
  'prices',
  'agents',
  'accounts',
];

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  prices: ['input', 'output', 'cacheRead', 'cacheWrite'],
  'notices.channels': [
    ...[
      'type',
      'events',
      'afterMinutes',
      'text',
      'inQuietHours',
      'title',
      'url',
      'topic',
      'token',
      'clientToken',
    ],
    ...['secret', 'template', 'command'],
  ],
  accounts: ['agent', 'settingsDirectory', 'slots', 'stopAtPercent'],
  agents: ['driver', 'command', 'args', 'preset', 'line', 'model', 'systemPrompt', 'environment'],
};

type Document = Readonly<Record<string, unknown>>;

/** The same document with every dotted key split into nested objects; `onTwice` is called for a key that appears in both forms. */
export function nested(document: Document, onTwice: (key: string) => never): Document {
  if (!Object.keys(document).some((key) => key.includes('.'))) return document;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(document)) if (!key.includes('.')) result[key] = value;
  for (const [key, value] of Object.entries(document)) {
    if (!key.includes('.')) continue;
    const steps = stepsOf(key);
    if (valueAt(result, steps) !== undefined) onTwice(key);
    place(result, steps, value);
  }
  return result;
}

/** The value at the end of these steps; undefined if there is none. */
export function valueAt(document: unknown, steps: readonly string[]): unknown {
  let value = document;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Document)[step];
  }
  return value;
}

/** Sets a value there, or removes it (undefined) along with objects that become empty. Objects on the path are copied. */
export function place(document: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  const [first = '', ...rest] = steps;
  if (rest.length === 0) {
    if (value === undefined) delete document[first];
    else document[first] = value;
    return;
  }
  const inner = { ...(isObject(document[first]) ? document[first] : {}) };
  place(inner, rest, value);
  if (value === undefined && Object.keys(inner).length === 0) delete document[first];
  else document[first] = inner;
}
