import { isObject } from '../foundation/index.js';

/** The agents with hooks that we support. */
export const HOOK_AGENTS = ['claude', 'codex'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

/** What every hook of an agent gets, as far as we use it. */
export interface HookFacts {
  readonly agent: HookAgent;
  /** The agent's own id of its conversation. */
  readonly session: string;
  readonly workingDirectory: string;
  /** The file in which the agent records that conversation. */
  readonly transcript?: string | undefined;
}

/** A tool that the agent wants to use. */
export interface HookTool {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A permission that a person may give on a card. */
export interface PermissionAsked extends HookFacts {
  readonly tool: HookTool;
  /** The kind of the subagent that asks, as the agent names it. */
  readonly subagent?: string | undefined;
  /** What the agent would change so it never asks again, word for word; empty if it offers nothing. */
  readonly suggestions: readonly PermissionSuggestion[];
  /** Whether the agent's own dialog is open while the hook runs. */
  readonly hasOwnDialog: boolean;
}

/** A change to the agent's own permissions, in its own format. */
export type PermissionSuggestion = Readonly<Record<string, unknown>>;

/** A field of a form that one of the agent's servers wants filled in. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The values to choose from, as the form spells them, each with a label. */
  readonly choices: readonly { readonly label: string; readonly value: string | boolean }[];
}

/** A form that becomes questions. */
export interface FormAsked extends HookFacts {
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FormField[];
}

/** Why an agent is waiting for a person. */
export const WAITS_FOR = ['permission', 'question', 'plan', 'form', 'prompt'] as const;
export type WaitsFor = (typeof WAITS_FOR)[number];

/** What an agent's event means for us. */
export type HookMeaning =
  | { readonly does: 'ask'; readonly asked: PermissionAsked }
  | { readonly does: 'ask-form'; readonly asked: FormAsked }
  /** The agent is waiting for the person, who can answer only at its own terminal. */
  | { readonly does: 'tell'; readonly facts: HookFacts; readonly waitsFor: WaitsFor; readonly words: string }
  | { readonly does: 'note'; readonly facts: HookFacts; readonly state: 'working' | 'ended' }
  | { readonly does: 'nothing'; readonly why: string };

/** Variables of the agent that say more than its input does. */
export interface HookEnvironment {
  /** Whether a person is sitting at the agent; undefined if it does not say. */
  readonly isAttended?: boolean | undefined;
}

/** Tools of Claude Code that open a dialog of their own, which a plain yes would not answer. */
const OWN_DIALOGS: Readonly<Record<string, { waitsFor: WaitsFor; words: string }>> = {
  AskUserQuestion: { waitsFor: 'question', words: 'asks you a question' },
  ExitPlanMode: { waitsFor: 'plan', words: 'has a plan for you to approve' },
};

/** The server may be registered by name, or by a plugin. */
const OUR_TOOLS = /^mcp__(plugin_.*_)?holdfast__(ask_user_questions|get_answered_questions)$/;

/** Modes in which the agent decides by itself, so nothing it asks becomes a card. */
const NO_CARDS = new Set(['bypassPermissions', 'dontAsk', 'never', 'bypass']);

/**
 * What an agent's hook is about. Anything we do not recognise means nothing, so the agent continues as if we were not there.
 * `event` is the one our entry was written for; an input about another event means nothing either.
 */
export function meaningOf(
  agent: HookAgent,
  event: string,
  input: unknown,
  environment: HookEnvironment = {},
): HookMeaning {
  if (!isObject(input)) return nothing('the input is not an object');
  if (input.hook_event_name !== event) return nothing('the input is about another event');
  const facts = factsOf(agent, input);
  if (facts === undefined) return nothing('the input names no session or directory');
  switch (event) {
    case 'PermissionRequest':
      return permissionMeaning(facts, input, environment);
    case 'Elicitation':
      return formMeaning(facts, input);
    case 'Notification':
      return notificationMeaning(facts, input);
    case 'Stop':
      return { does: 'tell', facts, waitsFor: 'prompt', words: 'has finished its turn' };
    case 'SessionStart':
    case 'UserPromptSubmit':
      return { does: 'note', facts, state: 'working' };
    case 'SessionEnd':
      return { does: 'note', facts, state: 'ended' };
    default:
      return nothing('the event is not known');
  }
}

function permissionMeaning(
  facts: HookFacts,
  input: Readonly<Record<string, unknown>>,
  { isAttended }: HookEnvironment,
): HookMeaning {
  const { tool_name: name, tool_input: given, permission_mode: mode, agent_id, agent_type } = input;
  if (typeof mode === 'string' && NO_CARDS.has(mode)) return nothing(`the mode is ${mode}`);
  if (typeof name !== 'string' || name === '' || !isObject(given)) return nothing('it names no tool');
  const own = facts.agent === 'claude' && Object.hasOwn(OWN_DIALOGS, name) ? OWN_DIALOGS[name] : undefined;
  if (own !== undefined) return { does: 'tell', facts, ...own };
  // Permission to ask would be requested in the very place where the question goes.
  if (OUR_TOOLS.test(name)) return nothing('it is one of our own tools');
  const isSubagent = agent_id !== undefined;
  return {
    does: 'ask',
    asked: {
      ...facts,
      tool: { name, input: given },
      ...(isSubagent ? { subagent: typeof agent_type === 'string' ? agent_type : 'subagent' } : {}),
      suggestions: suggestionsIn(facts.agent, input.permission_suggestions),
      hasOwnDialog: facts.agent === 'claude' && !isSubagent && isAttended !== false,
    },
  };
}

/** The suggestions we know; we could not explain any other change to the person. */
const KNOWN_SUGGESTIONS = new Set(['addRules', 'addDirectories', 'setMode']);

/** All or nothing: what the agent would change for its own "always" is not ours to take apart. */
function suggestionsIn(agent: HookAgent, given: unknown): readonly PermissionSuggestion[] {
  if (agent !== 'claude' || !Array.isArray(given)) return [];
  const isKnown = (one: unknown): one is PermissionSuggestion =>
    isObject(one) &&
    KNOWN_SUGGESTIONS.has(String(one.type)) &&
    !(one.type === 'setMode' && NO_CARDS.has(String(one.mode))) &&
    !(one.type === 'addRules' && one.behavior !== 'allow');
  return given.every(isKnown) ? given : [];
}

function notificationMeaning(
  facts: HookFacts,
  { notification_type: type }: Record<string, unknown>,
): HookMeaning {
  if (type === 'idle_prompt')
    return { does: 'tell', facts, waitsFor: 'prompt', words: 'is waiting for your next prompt' };
  if (type === 'permission_prompt')
    return { does: 'tell', facts, waitsFor: 'permission', words: 'asks for permission' };
  return nothing('the notification is not about waiting');
}

function formMeaning(facts: HookFacts, input: Readonly<Record<string, unknown>>): HookMeaning {
  const { mcp_server_name: server, message, mode, requested_schema: schema } = input;
  const told: HookMeaning = { does: 'tell', facts, waitsFor: 'form', words: 'has a form for you' };
  if (typeof server !== 'string' || typeof message !== 'string') return told;
  if (mode !== undefined && mode !== 'form') return told;
  const fields = fieldsOf(schema);
  return fields === undefined ? told : { does: 'ask-form', asked: { ...facts, server, message, fields } };
}

/** The fields of a form that consists of choices only; undefined for any other form. */
function fieldsOf(schema: unknown): FormField[] | undefined {
  if (!isObject(schema) || !isObject(schema.properties)) return undefined;
  const fields = Object.entries(schema.properties).map(([name, property]) => fieldOf(name, property));
  const known = fields.filter((field) => field !== undefined);
  return known.length === fields.length && known.length > 0 && known.length <= 5 ? known : undefined;
}

function fieldOf(name: string, property: unknown): FormField | undefined {
  if (!isObject(property)) return undefined;
  const title = typeof property.title === 'string' && property.title !== '' ? property.title : name;
  const about = typeof property.description === 'string' ? property.description : '';
  const choices = choicesOf(property);
  const isChoice = choices.length >= 2 && choices.length <= 5;
  const isUnique = new Set(choices.map(({ label }) => label)).size === choices.length;
  return isChoice && isUnique ? { name, title, about, choices } : undefined;
}

function choicesOf(property: Readonly<Record<string, unknown>>): FormField['choices'] {
  if (property.type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ];
  if (property.type !== 'string' || !Array.isArray(property.enum)) return [];
  const names = Array.isArray(property.enumNames) ? property.enumNames : [];
  return property.enum.flatMap((value: unknown, index) => {
    if (typeof value !== 'string' || value.trim() === '') return [];
    const label: unknown = names[index];
    return [{ label: typeof label === 'string' && label.trim() !== '' ? label : value, value }];
  });
}

function factsOf(agent: HookAgent, input: Readonly<Record<string, unknown>>): HookFacts | undefined {
  const { session_id: session, cwd, transcript_path: transcript } = input;
  if (typeof session !== 'string' || session === '' || session.length > 200) return undefined;
  if (typeof cwd !== 'string' || !cwd.startsWith('/') || cwd.length > 4_096) return undefined;
  const isPath = typeof transcript === 'string' && transcript.startsWith('/');
  return { agent, session, workingDirectory: cwd, ...(isPath ? { transcript } : {}) };
}

function nothing(why: string): HookMeaning {
  return { does: 'nothing', why };
}
