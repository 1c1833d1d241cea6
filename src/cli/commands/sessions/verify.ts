import { openCatalog } from '../../../app/open-catalog.js';
import type { Catalog, KindFailure, SessionKind, VerifiedSession } from '../../../catalog/index.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderFault } from '../../render/sessions.js';
import { KIND_OPTION, parseKind } from '../../session-kinds.js';

export default defineCommand({
  usage: 'sessions verify [session]',
  summary: 'Check the files of one session, or of all',
  details:
    'Exit code 8 when something does not verify, with line and offset where there is one. Nothing is changed.',
  options: KIND_OPTION,
  examples: ['holdfast sessions verify', 'holdfast sessions verify session-2026 --json'],
  async run({ services, terminal, isJson }, { positionals: [typed], values }) {
    const { sessions, failed } = await verify(openCatalog(services), typed, parseKind(values.kind));
    const damaged = sessions.filter(({ faults }) => faults.length > 0);
    if (isJson) terminal.write(visibleJson({ sessions, failed }));
    else {
      for (const { kind, id, faults } of damaged)
        for (const fault of faults) terminal.write(`${kind} ${visibleLine(id)}: ${renderFault(fault)}`);
      terminal.write(`${sessions.length} checked, ${damaged.length} with faults`);
    }
    if (damaged.length > 0) return ExitCode.damaged;
    return failed.length > 0 ? ExitCode.failed : ExitCode.done;
  },
});

async function verify(
  catalog: Catalog,
  typed: string | undefined,
  kind: SessionKind | undefined,
): Promise<{ sessions: readonly VerifiedSession[]; failed: readonly KindFailure[] }> {
  if (typed === undefined) return catalog.verifyAll(kind);
  return { sessions: [await catalog.verify(await catalog.find(typed, kind))], failed: [] };
}
