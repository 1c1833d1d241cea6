import { openCatalog } from '../../../app/open-catalog.js';
import { visibleJson } from '../../../foundation/index.js';
import { moreWords } from '../../chat-sessions.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderSessions } from '../../render/sessions.js';
import { KIND_OPTION, parseKind } from '../../session-kinds.js';

export default defineCommand({
  usage: 'sessions list',
  summary: 'List sessions of every kind',
  details:
    'The last active first. Questions, conversations and processes of this user; the loop and the change sessions of this\n' +
    'project. Without --all or --status: those that are not over. What is damaged is marked and always listed.',
  options: {
    ...KIND_OPTION,
    status: { type: 'string', value: '<status>', about: 'only those with this status, over or not' },
    agent: { type: 'string', value: '<name>', about: 'only those with this agent' },
    limit: { type: 'number', value: '<count>', about: 'only this many' },
    all: { type: 'boolean', about: 'also those that are over or belong to runs' },
  },
  examples: ['holdfast sessions', 'holdfast sessions list --kind conversation --status interrupted --json'],
  async run({ services, terminal, isJson }, { values }) {
    const { status, agent, all: isAll } = values;
    const all = await openCatalog(services).list({ kind: parseKind(values.kind), status, agent, isAll });
    const found = all.slice(0, values.limit);
    if (isJson) terminal.write(visibleJson(found));
    else if (all.length === 0) terminal.write('No sessions found.');
    else terminal.write(renderSessions(found, services.clock.now(), terminal.style));
    if (found.length < all.length) terminal.note(moreWords(all.length - found.length));
    return ExitCode.done;
  },
});
