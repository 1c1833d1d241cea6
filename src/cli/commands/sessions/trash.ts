import { openCatalog } from '../../../app/sessions/open-catalog.js';
import {
  type Catalog,
  emptyTrash,
  listTrash,
  restoreSession,
  type SessionKind,
} from '../../../catalog/index.js';
import { visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderTrash } from '../../render/sessions.js';
import { confirm, KIND_OPTION } from './session-kinds.js';

interface Wanted {
  readonly catalog: Catalog;
  readonly kind: SessionKind | undefined;
  readonly session: string | undefined;
  readonly olderThan: number | undefined;
  readonly isSure: boolean;
}

export const trashCommand = defineCommand({
  operation: listTrash,
  usage: 'sessions trash [action] [session]',
  details:
    'list (default), restore <session>, or empty. `empty` removes permanently, after a yes: everything, or with\n' +
    '--older-than what has lain in the trash for longer. Loops and changes: those of this project.',
  options: {
    yes: { type: 'boolean', about: 'empty: do not ask' },
    olderThan: {
      type: 'number',
      value: '<days>',
      about: 'empty: only what was deleted at least this many days ago',
    },
    ...KIND_OPTION,
  },
  examples: [
    'holdfast sessions trash',
    'holdfast sessions trash restore 3f2a',
    'holdfast sessions trash empty --older-than 30',
  ],
  async run(context, { positionals: [action = 'list', session], values }) {
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act === undefined)
      throw new UsageError(
        `Trash knows ${Object.keys(ACTIONS).join(', ')}, not ${visibleExcerpt(action, 40)}`,
      );
    if (action !== 'restore' && session !== undefined)
      throw new UsageError(`\`sessions trash ${action}\` takes no session`);
    if (action !== 'empty' && (values.yes || values.olderThan !== undefined))
      throw new UsageError('--yes and --older-than belong to `sessions trash empty`');
    const { kind } = values;
    const catalog = openCatalog(context.services);
    return act(context, { catalog, kind, session, olderThan: values.olderThan, isSure: values.yes });
  },
});

type Action = (context: CommandContext, wanted: Wanted) => Promise<ExitCode>;

const list: Action = async (context, { catalog, kind }) => {
  const { services, terminal, isJson } = context;
  const trashed = await perform(context, listTrash, { catalog }, { kind });
  if (isJson) terminal.write(visibleJson(trashed));
  else if (trashed.length === 0) terminal.write('The trash is empty.');
  else terminal.write(renderTrash(trashed, services.clock.now(), terminal.style));
  return ExitCode.done;
};

const restore: Action = async (context, { catalog, kind, session }) => {
  const { terminal, isJson } = context;
  if (session === undefined) throw new UsageError('Which session? See `holdfast sessions trash`.');
  const restored = await perform(context, restoreSession, { catalog }, { session, kind });
  terminal.write(
    isJson
      ? visibleJson({ success: true, ...restored })
      : `Put ${restored.kind} ${visibleLine(restored.id)} back`,
  );
  return ExitCode.done;
};

const empty: Action = async (context, { catalog, kind, olderThan, isSure }) => {
  const { terminal, isJson } = context;
  const age = olderThan === undefined ? '' : ` that was deleted more than ${olderThan} days ago`;
  const question = `Remove everything${kind === undefined ? '' : ` of kind ${kind}`}${age} from the trash permanently?`;
  if (!(await confirm(context, question, isSure))) {
    terminal.write('Nothing was removed.');
    return ExitCode.failed;
  }
  const wanted = { kind, olderThanDays: olderThan };
  const { removed, failed } = await perform(context, emptyTrash, { catalog }, wanted);
  terminal.write(
    isJson
      ? visibleJson({ success: failed.length === 0, removed, failed })
      : `${removed.length} removed permanently`,
  );
  return failed.length > 0 ? ExitCode.failed : ExitCode.done;
};

const ACTIONS: Readonly<Record<string, Action>> = { list, restore, empty };
