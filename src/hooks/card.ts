import { PERMISSION_CHOICES, visibleLine } from '../foundation/index.js';
import { describePermission } from '../run/questions/ask-permission.js';
import { permissionAsker, type QuestionInput } from '../sessions/question/index.js';
import type { FormAsked, HookFacts, PermissionAsked, PermissionSuggestion } from './events.js';

/** The card for a permission: the whole input of the tool, the place, and what "always" would change. */
export function permissionCard(asked: PermissionAsked): QuestionInput {
  const { agent, tool, suggestions, hasOwnDialog, subagent } = asked;
  const who = subagent === undefined ? agent : `${agent} (subagent ${visibleLine(subagent)})`;
  const hasAlways = suggestions.length > 0;
  const prompt = [
    describePermission(who, { id: '', name: tool.name, kind: 'other', title: '', input: tool.input }),
    ...(hasAlways
      ? [`**${PERMISSION_CHOICES.always}** allows it and changes the settings of ${agent}:`]
      : []),
    ...suggestions.map(suggestionLine),
    ...(hasOwnDialog
      ? [`${agent} shows its own dialog as well: this may have been answered at the terminal.`]
      : []),
  ].join('\n\n');
  return {
    title: 'Permission',
    prompt,
    options: [
      { label: PERMISSION_CHOICES.allow },
      { label: PERMISSION_CHOICES.deny },
      ...(hasAlways ? [{ label: PERMISSION_CHOICES.always, description: 'as listed above' }] : []),
    ],
  };
}

/** What would be changed, whole and in the agent's own spelling: it is passed on unchanged. */
function suggestionLine(suggestion: PermissionSuggestion): string {
  const shown = visibleLine(JSON.stringify(suggestion));
  const fence = '`'.repeat(
    1 + (shown.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0),
  );
  return `- ${fence}${shown}${fence}`;
}

/** The questions of a form. */
export function formQuestions({ server, message, fields }: FormAsked): QuestionInput[] {
  return fields.map(({ title, about, choices }) => ({
    title: visibleLine(title),
    prompt: [
      `The server ${visibleLine(server)} asks: ${visibleLine(message)}`,
      visibleLine(about || title),
    ].join('\n\n'),
    options: choices.map(({ label }) => ({ label })),
  }));
}

/** The asker: the agent, through its hook, in this conversation of its own. */
export function hookAsker({ agent, session }: HookFacts) {
  return permissionAsker({ agent, hook: session });
}
