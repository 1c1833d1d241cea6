/**
 * Scenario handling: loading and checking the JSON, choosing the turn that
 * answers a request, filling in `{{variables}}`, and translating portable
 * actions ("write this file") into the tool the calling agent really offers.
 *
 * Nothing here knows about HTTP or about a particular model API. Requests reach
 * this module in the neutral form that the codecs in this folder produce:
 *
 *   {
 *     api:          'anthropic' | 'openai-responses' | 'openai-chat' | 'google',
 *     model:        string,
 *     stream:       boolean,
 *     system:       string,            // all system / developer text
 *     tools:        [{ name, kind, namespace?, schema? }],
 *     modelTurns:   number,            // replies of the model already in the history
 *     lastUserText: string,            // newest user text in the history
 *     step:         number,            // replies of the model since that text
 *     toolResults:  [{ id, text, isError }],  // results since the last model reply
 *     jsonSchema:   object | null      // the client asked for JSON output
 *   }
 */

const SELECTORS = new Set(['sequence', 'history']);
const EXHAUSTED = new Set(['repeat-last', 'error', 'stop-text']);
export const FAULT_TYPES = new Set([
  'rate_limit',
  'overloaded',
  'server_error',
  'usage_limit',
  'auth',
  'context_overflow',
  'http',
  'reset_before_headers',
  'reset',
  'truncate',
  'stall',
  'malformed_sse',
  'stream_error',
]);

export class ScenarioError extends Error {}

function fail(where, what) {
  throw new ScenarioError(`scenario: ${where}: ${what}`);
}

/** Checks one turn, so that a typing mistake fails at start and not mid-test. */
function checkTurn(turn, where) {
  if (turn === null || typeof turn !== 'object' || Array.isArray(turn))
    fail(where, 'a turn must be an object');
  const known = new Set([
    'text',
    'thinking',
    'repeatText',
    'toolCalls',
    'usage',
    'delayMs',
    'chunkDelayMs',
    'chunkChars',
    'stopReason',
    'headers',
    'fault',
    'comment',
  ]);
  for (const key of Object.keys(turn)) if (!known.has(key)) fail(where, `unknown field "${key}"`);
  if (turn.toolCalls !== undefined) {
    if (!Array.isArray(turn.toolCalls)) fail(where, 'toolCalls must be a list');
    turn.toolCalls.forEach((call, i) => {
      if (typeof call.name !== 'string' && typeof call.action !== 'string') {
        fail(`${where}.toolCalls[${i}]`, 'needs "name" (an exact tool) or "action" (a portable one)');
      }
      if (call.action !== undefined && !ACTIONS[call.action]) {
        fail(`${where}.toolCalls[${i}]`, `unknown action "${call.action}"`);
      }
    });
  }
  if (turn.fault !== undefined && !FAULT_TYPES.has(turn.fault?.type)) {
    fail(where, `unknown fault type "${turn.fault?.type}" (known: ${[...FAULT_TYPES].join(', ')})`);
  }
}

function checkScript(script, where) {
  if (!Array.isArray(script.turns)) fail(where, '"turns" must be a list');
  script.turns.forEach((turn, i) => {
    checkTurn(turn, `${where}.turns[${i}]`);
  });
  (script.rules ?? []).forEach((rule, i) => {
    if (!rule.when || typeof rule.when !== 'object') fail(`${where}.rules[${i}]`, '"when" must be an object');
    checkTurn(rule.turn, `${where}.rules[${i}].turn`);
  });
  if (script.side !== undefined) checkTurn(script.side, `${where}.side`);
  if (!SELECTORS.has(script.select ?? 'sequence'))
    fail(where, `"select" must be one of ${[...SELECTORS].join(', ')}`);
  if (!EXHAUSTED.has(script.onExhausted ?? 'stop-text')) {
    fail(where, `"onExhausted" must be one of ${[...EXHAUSTED].join(', ')}`);
  }
}

/**
 * Takes the parsed JSON of a scenario file and returns a runner.
 * Accepts one script (`{ turns: [...] }`) or several (`{ scripts: { name: {...} } }`);
 * a client picks a named one with the base URL path `/s/<name>`.
 */
export function createRunner(json, variables = {}) {
  const scripts = json.scripts ?? { default: json };
  for (const [name, script] of Object.entries(scripts)) checkScript(script, `scripts.${name}`);

  const state = new Map();
  const stateOf = (name) => {
    if (!state.has(name)) state.set(name, { next: 0, faultsGiven: new Map(), ruleUses: new Map() });
    return state.get(name);
  };

  /** A fault counts down on its own key, so a retry reaches the real reply afterwards. */
  function takeFault(st, key, fault) {
    if (!fault) return null;
    const limit = fault.times === 'always' ? Infinity : (fault.times ?? 1);
    const given = st.faultsGiven.get(key) ?? 0;
    if (given >= limit) return null;
    st.faultsGiven.set(key, given + 1);
    return fault;
  }

  /** Returns { label, turn, fault } for a request, or throws ScenarioError for an unknown script. */
  function answer(scriptName, request) {
    const script = scripts[scriptName];
    if (!script) throw new ScenarioError(`no script named "${scriptName}"`);
    const st = stateOf(scriptName);
    const deliver = (label, turn, fault) => ({
      label,
      turn: fill(turn, variables),
      fault: fault && fill(fault, variables),
    });

    for (const [i, rule] of (script.rules ?? []).entries()) {
      const uses = st.ruleUses.get(i) ?? 0;
      if (uses >= (rule.times ?? Infinity) || !matches(rule.when, request)) continue;
      const fault = takeFault(st, `rule ${i}`, rule.turn.fault);
      // After a fault the client comes back: only a real reply uses up the rule.
      if (!fault) st.ruleUses.set(i, uses + 1);
      return deliver(`rule ${i}`, rule.turn, fault);
    }

    if (isSideRequest(script.sideRequests ?? 'auto', request)) {
      return deliver('side', script.side ?? {}, takeFault(st, 'side', script.side?.fault));
    }

    const historic = (script.select ?? 'sequence') === 'history';
    let index = historic ? request.modelTurns : st.next;
    const last = script.turns.length - 1;
    if (index > last) {
      const rule = script.onExhausted ?? 'stop-text';
      if (rule === 'repeat-last' && last >= 0) index = last;
      else if (rule === 'error')
        return deliver('exhausted', {}, { type: 'http', status: 400, message: 'scenario exhausted' });
      else return deliver('exhausted', { text: 'The scenario has no further turns.' }, null);
    }
    const turn = script.turns[index];
    const fault = takeFault(st, `turn ${index}`, turn.fault);
    if (!historic && !fault) st.next = index + 1;
    return deliver(`turn ${index}`, turn, fault);
  }

  return { answer, reset: () => state.clear(), scriptNames: () => Object.keys(scripts), models: json.models };
}

/**
 * Agents also ask the model for session titles, summaries, routing or safety
 * reviews. Such requests offer no tools or demand JSON; they must not use up a turn.
 */
function isSideRequest(policy, request) {
  if (policy === 'none') return false;
  return request.tools.length === 0 || request.jsonSchema !== null;
}

/** All given conditions of a rule must hold; texts are regular expressions. */
function matches(when, request) {
  const text = (pattern, value) => pattern === undefined || new RegExp(pattern, 's').test(value ?? '');
  return (
    text(when.api, request.api) &&
    text(when.model, request.model) &&
    text(when.system, request.system) &&
    text(when.lastUser, request.lastUserText) &&
    text(when.toolResult, request.toolResults.map((r) => r.text).join('\n')) &&
    (when.hasTools === undefined || when.hasTools === request.tools.length > 0) &&
    (when.hasToolResult === undefined || when.hasToolResult === request.toolResults.length > 0) &&
    (when.modelTurns === undefined || when.modelTurns === request.modelTurns) &&
    (when.step === undefined || when.step === request.step)
  );
}

/** Replaces {{name}} in every string of a value; an unknown name stays as it is. */
export function fill(value, variables) {
  if (typeof value === 'string') {
    return value.replace(/\{\{(\w+)\}\}/g, (all, name) =>
      name in variables ? String(variables[name]) : all,
    );
  }
  if (Array.isArray(value)) return value.map((v) => fill(v, variables));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v, variables)]));
  }
  return value;
}

/**
 * The text a turn says. With `repeatText: N` the text is said N times, which is how
 * very long outputs are written short; `{{n}}` in it counts from 1, because agents
 * that look for loops stop a reply that repeats itself word for word.
 */
export function turnText(turn) {
  const text = turn.text ?? '';
  if (!turn.repeatText) return text;
  return Array.from({ length: turn.repeatText }, (_, i) => text.replaceAll('{{n}}', String(i + 1))).join('');
}

export function turnUsage(turn) {
  const usage = turn.usage ?? {};
  return {
    input: usage.input ?? 1000,
    output: usage.output ?? 50,
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite: usage.cacheWrite ?? 0,
    reasoning: usage.reasoning ?? 0,
  };
}

// ---------------------------------------------------------------------------
// Portable actions
// ---------------------------------------------------------------------------

const shellQuote = (s) => `'${String(s).replaceAll("'", `'\\''`)}'`;

/** For each action: candidate tools, best first, each with how it takes the input. */
const ACTIONS = {
  write_file: [
    ['Write', (c) => ({ file_path: c.path, content: c.content })],
    ['write_file', (c) => ({ file_path: c.path, content: c.content })],
    ['write', (c) => ({ filePath: c.path, content: c.content })],
    [
      'apply_patch',
      (c, tool) => {
        const body = c.content
          .replace(/\n$/, '')
          .split('\n')
          .map((l) => `+${l}`)
          .join('\n');
        const patch = `*** Begin Patch\n*** Add File: ${c.path}\n${body}\n*** End Patch\n`;
        return tool.kind === 'custom' ? patch : { [tool.schema?.required?.[0] ?? 'input']: patch };
      },
    ],
    ['*shell', (c) => `printf %s ${shellQuote(c.content)} > ${shellQuote(c.path)}`],
  ],
  read_file: [
    ['Read', (c) => ({ file_path: c.path })],
    ['read_file', (c) => ({ file_path: c.path })],
    ['read', (c) => ({ filePath: c.path })],
    ['*shell', (c) => `cat ${shellQuote(c.path)}`],
  ],
  bash: [['*shell', (c) => c.command]],
  mcp: [['*mcp', (c) => c.input ?? {}]],
};

/** Shell tools of the known agents, each with how it takes one command line. */
const SHELLS = [
  ['Bash', (cmd) => ({ command: cmd, description: 'Runs a command' })],
  ['run_shell_command', (cmd) => ({ command: cmd, description: 'Runs a command' })],
  ['bash', (cmd) => ({ command: cmd, description: 'Runs a command' })],
  ['exec_command', (cmd) => ({ cmd })],
  ['shell_command', (cmd) => ({ command: cmd })],
  ['shell', (cmd) => ({ command: ['bash', '-lc', cmd] })],
  ['exec', (cmd) => codeCall('exec_command', { cmd })],
];

/** Program for a code-running tool that reaches the other tools through a `tools` object. */
function codeCall(tool, input) {
  return `text(JSON.stringify(await tools.${tool}(${JSON.stringify(input)})));`;
}

/** Names under which agents offer the tool of an MCP server; `clean` is the name without odd characters. */
function mcpNames(server, tool) {
  const clean = server.replace(/[^A-Za-z0-9_-]/g, '_');
  return [`mcp__${clean}__${tool}`, `mcp_${clean}_${tool}`, `${clean}__${tool}`, `${clean}_${tool}`, tool];
}

/**
 * Turns a scenario's tool call into { name, namespace?, kind, input } for this
 * request. Exact calls pass unchanged; a portable action with no fitting tool
 * becomes a call of a tool that does not exist, which the agent will report.
 */
export function resolveToolCall(call, request) {
  const byName = (name) => request.tools.find((t) => t.name === name);
  if (call.name !== undefined) {
    const tool = byName(call.name);
    return {
      name: call.name,
      namespace: call.namespace ?? tool?.namespace,
      kind: tool?.kind ?? 'function',
      input: call.input ?? {},
    };
  }
  for (const [want, make] of ACTIONS[call.action]) {
    if (want === '*shell') {
      for (const [name, wrap] of SHELLS) {
        const tool = byName(name);
        if (tool) return { name, namespace: tool.namespace, kind: tool.kind, input: wrap(make(call)) };
      }
    } else if (want === '*mcp') {
      const names = mcpNames(call.server, call.tool);
      const tool = names.map(byName).find(Boolean);
      if (tool) return { name: tool.name, namespace: tool.namespace, kind: tool.kind, input: make(call) };
      const code = byName('exec');
      if (code?.kind === 'custom')
        return {
          name: 'exec',
          namespace: code.namespace,
          kind: 'custom',
          input: codeCall(names[0], make(call)),
        };
      // Not announced: agents that load tools on demand still accept the call by its full name.
      if (byName('tool_search'))
        return { name: call.tool, namespace: `mcp__${call.server}`, kind: 'function', input: make(call) };
      return { name: names[0], kind: 'function', input: make(call) };
    } else {
      const tool = byName(want);
      if (tool) return { name: want, namespace: tool.namespace, kind: tool.kind, input: make(call, tool) };
    }
  }
  return { name: `no_tool_for_${call.action}`, kind: 'function', input: {} };
}

/** The smallest value that satisfies a JSON schema; answers side requests that want JSON. */
export function stubForSchema(schema) {
  if (!schema || typeof schema !== 'object') return 'fake';
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return stubForSchema(options[0]);
  const type = String(Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? 'object')).toLowerCase();
  if (type === 'object') {
    const required = schema.required ?? Object.keys(schema.properties ?? {});
    return Object.fromEntries(required.map((key) => [key, stubForSchema(schema.properties?.[key])]));
  }
  const number = schema.minimum ?? 1;
  return { array: [], boolean: false, number, integer: number, null: null }[type] ?? 'fake';
}
