import { resolve } from 'node:path';
import type { StartOptions } from '../driver.js';
import type { AgentEvent, ToolKind } from '../events.js';
import {
  decidePermission,
  denialText,
  type PermissionDecision,
  type PermissionRequest,
} from '../permission.js';
import { type Call, call, commandCall, fileCall, mcpCall, placesOf } from './item.js';
import type { RequestId } from './rpc.js';
import {
  CommandApproval,
  Elicitation,
  FileApproval,
  type Item,
  type PatchChange,
  WiderPermissions,
} from './schema.js';
import { serverName } from './settings.js';
import { withoutShell } from './shell-command.js';

/** Something that needs a yes, and the agent's words for yes and no. */
interface Request {
  readonly permission: PermissionRequest;
  readonly isOfGivenServer: boolean;
  readonly yes: unknown;
  readonly no: unknown;
}

interface Pending extends Request {
  readonly controller: AbortController;
}

interface ApprovalsOptions {
  readonly start: Pick<StartOptions, 'permissions' | 'mcpServers' | 'workingDirectory'>;
  readonly answer: (id: RequestId, result: unknown) => void;
  readonly refuse: (id: RequestId, message: string) => void;
  /** Explains a denial to the agent before the denial itself arrives. */
  readonly explain: (words: string) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
  /** What the agent is doing. */
  readonly openItems: () => ReadonlyMap<string, Item>;
}

/** Answers what the agent asks us. Each request is answered exactly once, unless the agent takes it back. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #pending = new Map<RequestId, Pending>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  async take(id: RequestId, method: string, params: unknown): Promise<void> {
    const request = this.#read(method, params);
    if (request === undefined) this.#decline(id, method, params);
    else await this.#decide(id, { ...request, controller: new AbortController() });
  }

  async #decide(id: RequestId, pending: Pending): Promise<void> {
    this.#pending.set(id, pending);
    const { permissions } = this.#options.start;
    const decision = await decidePermission(permissions, pending.permission, {
      isOfGivenServer: pending.isOfGivenServer,
      signal: pending.controller.signal,
    });
    if (!decision.isAllowed && this.#pending.has(id)) await this.#options.explain(denialText(decision));
    this.#settle(id, decision);
  }

  /** The agent no longer waits for the answer. */
  withdraw(id: RequestId): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.controller.abort();
  }

  /** Denies whatever is still open: nobody can decide it any more. */
  denyAll(by: string): void {
    for (const [id, { controller }] of [...this.#pending]) {
      this.#settle(id, { isAllowed: false, by });
      controller.abort();
    }
  }

  #settle(id: RequestId, { isAllowed, by, message }: PermissionDecision): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const decision = isAllowed ? 'allowed' : 'denied';
    // The agent may do everything and nobody was asked: not worth reporting.
    const isPlain = isAllowed && this.#options.start.permissions.mode === 'bypass';
    const { id: itemId, name, kind, title, input } = pending.permission;
    const told = message === undefined ? { by } : { by, message };
    if (!isPlain)
      this.#options.onEvent({ type: 'permission', id: itemId, name, kind, title, input, decision, ...told });
    this.#options.answer(id, isAllowed ? pending.yes : pending.no);
  }

  #read(method: string, params: unknown): Request | undefined {
    switch (method) {
      case 'item/commandExecution/requestApproval':
        return this.#readCommand(CommandApproval.safeParse(params).data);
      case 'item/fileChange/requestApproval':
        return this.#readFileChange(FileApproval.safeParse(params).data);
      case 'item/permissions/requestApproval':
        return readWiderPermissions(WiderPermissions.safeParse(params).data);
      case 'mcpServer/elicitation/request':
        return this.#readElicitation(Elicitation.safeParse(params).data);
      default:
        return undefined;
    }
  }

  /**
   * A command run with its usual shell, in the working directory and with nothing added, is shown as the model meant it.
   * Anything else is shown exactly as Codex wrote it, so that it cannot pass for something the agent was told to run.
   */
  #readCommand(asked: CommandApproval | undefined): Request | undefined {
    if (asked === undefined) return undefined;
    const { itemId, approvalId, cwd, reason, networkApprovalContext, additionalPermissions } = asked;
    const written = asked.command ?? this.#options.openItems().get(itemId)?.command ?? '';
    const isCommand = asked.kind == null || asked.kind === 'command';
    const isHere = cwd == null || resolve(cwd) === resolve(this.#options.start.workingDirectory);
    const isPlain = isCommand && isHere && networkApprovalContext == null && additionalPermissions == null;
    const more = definedOnly({
      reason,
      cwd: isHere ? undefined : cwd,
      kind: isCommand ? undefined : asked.kind,
      networkApprovalContext,
      additionalPermissions,
    });
    const what = commandCall({ command: isPlain ? withoutShell(written) : written, ...more });
    return request(approvalId ?? itemId, isPlain ? what : { ...what, kind: 'other' });
  }

  /** The item has already reported the changes. Without them nobody could know what is being asked, so it is denied. */
  #readFileChange(asked: FileApproval | undefined): Request | undefined {
    if (asked === undefined) return undefined;
    const { itemId, reason, grantRoot } = asked;
    const changes = this.#options.openItems().get(itemId)?.changes ?? [];
    if (changes.length === 0) return undefined;
    const what = fileCall(changes, definedOnly({ reason, grantRoot }));
    const asks = request(itemId, { ...what, kind: grantRoot ? 'other' : kindOf(changes) });
    return { ...asks, permission: { ...asks.permission, locations: placesOf(changes) } };
  }

  /** Codex asks for permission to use an MCP tool as if the server were asking the person a question. */
  #readElicitation(asked: Elicitation | undefined): Request | undefined {
    if (asked?._meta?.codex_approval_kind !== 'mcp_tool_call') return undefined;
    const { serverName: server, _meta: meta } = asked;
    const items = [...this.#options.openItems().values()];
    const written = JSON.stringify(meta.tool_params);
    const ofServer = items.filter((item) => item.type === 'mcpToolCall' && item.server === server);
    const item = ofServer.find((one) => JSON.stringify(one.arguments) === written) ?? ofServer.at(-1);
    const tool = item?.tool ?? /tool "([^"]+)"/.exec(asked.message ?? '')?.[1] ?? 'unknown';
    const isOfGivenServer = this.#options.start.mcpServers.some(({ name }) => serverName(name) === server);
    return {
      permission: {
        id: item?.id ?? `${server}/${tool}`,
        ...mcpCall(server, tool, meta.tool_params ?? item?.arguments),
      },
      isOfGivenServer,
      yes: { action: 'accept', content: {}, _meta: null },
      no: { action: 'decline', content: null, _meta: null },
    };
  }

  /** Declines what nobody here can answer. */
  #decline(id: RequestId, method: string, params: unknown): void {
    const { answer, refuse } = this.#options;
    if (method === 'item/tool/requestUserInput') answer(id, { answers: {} });
    else if (method === 'mcpServer/elicitation/request') this.#declineElicitation(id, params);
    else if (method.endsWith('/requestApproval')) answer(id, { decision: 'decline' });
    else refuse(id, `${method} is not supported`);
  }

  #declineElicitation(id: RequestId, params: unknown): void {
    const { serverName: server = 'unknown', message } = Elicitation.safeParse(params).data ?? {};
    const asked = `The MCP server ${server} asked something that cannot be answered here: ${message ?? ''}`;
    this.#options.onEvent({ type: 'error', message: asked, status: null });
    this.#options.answer(id, { action: 'decline', content: null, _meta: null });
  }
}

function readWiderPermissions(asked: WiderPermissions | undefined): Request | undefined {
  if (asked === undefined) return undefined;
  const { itemId, cwd, reason, permissions } = asked;
  const input = definedOnly({ permissions, cwd, reason });
  return {
    ...request(itemId, call('request_permissions', 'other', reason ?? 'wider permissions', input)),
    yes: { permissions: definedOnly(permissions), scope: 'turn' },
    no: { permissions: {}, scope: 'turn' },
  };
}

/** Yes and no for this once: other answers would change the user's rules. */
function request(id: string, what: Call): Request {
  return {
    permission: { id, ...what },
    isOfGivenServer: false,
    yes: { decision: 'accept' },
    no: { decision: 'decline' },
  };
}

/** Deleting or moving a file is more than an edit. */
function kindOf(changes: readonly PatchChange[]): ToolKind {
  if (changes.some(({ kind }) => kind?.type === 'delete')) return 'delete';
  return changes.some(({ kind }) => kind?.move_path) ? 'move' : 'edit';
}

function definedOnly(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );
}
