import type { McpServerSpec } from '../driver.js';
import type { AgentEvent } from '../events.js';
import {
  decidePermission,
  denialText,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
} from '../permission.js';
import { isOfGivenServer } from './command.js';
import type { ControlRequest } from './read.js';
import { factsOfTool, locationsOf } from './tool.js';

interface PermissionsOptions {
  readonly policy: PermissionPolicy;
  readonly mcpServers: readonly McpServerSpec[];
  readonly send: (message: object) => void;
  readonly onEvent: (event: AgentEvent) => void;
}

interface Pending {
  readonly permission: PermissionRequest;
  readonly input: unknown;
  readonly controller: AbortController;
}

/** Answers what the agent asks us. Each request is answered exactly once, unless the agent takes it back. */
export class Permissions {
  readonly #options: PermissionsOptions;
  readonly #pending = new Map<string, Pending>();

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  async answer({ id, request }: ControlRequest): Promise<void> {
    if (request.subtype !== 'can_use_tool') {
      const error = `${request.subtype} is not supported`;
      this.#options.send({
        type: 'control_response',
        response: { subtype: 'error', request_id: id, error },
      });
      return;
    }
    const { input, tool_name: name, tool_use_id: toolUseId } = request;
    const facts = factsOfTool(name ?? 'unknown', input);
    const permission = { id: toolUseId ?? id, ...facts, locations: locationsOf(facts.name, input) };
    const pending = { permission, input, controller: new AbortController() };
    this.#pending.set(id, pending);
    this.#settle(id, await this.#decide(pending));
  }

  /** The agent no longer waits for the answer. */
  withdraw(id: string): void {
    this.#pending.get(id)?.controller.abort();
    this.#pending.delete(id);
  }

  /** Denies whatever is still open: nobody can decide it any more. */
  denyAll(by: string): void {
    for (const [id, { controller }] of [...this.#pending]) {
      this.#settle(id, { isAllowed: false, by });
      controller.abort();
    }
  }

  async #decide({ permission, controller }: Pending): Promise<PermissionDecision> {
    const { policy, mcpServers } = this.#options;
    return await decidePermission(policy, permission, {
      isOfGivenServer: isOfGivenServer(permission.name, mcpServers),
      signal: controller.signal,
    });
  }

  #settle(id: string, verdict: PermissionDecision): void {
    const { isAllowed, by, message } = verdict;
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const decision = isAllowed ? 'allowed' : 'denied';
    const { locations: _, ...told } = pending.permission;
    const words = message === undefined ? {} : { message };
    this.#options.onEvent({ type: 'permission', ...told, decision, by, ...words });
    const response = isAllowed
      ? { behavior: 'allow', updatedInput: pending.input ?? {} }
      : { behavior: 'deny', message: denialText(verdict) };
    this.#options.send({
      type: 'control_response',
      response: { subtype: 'success', request_id: id, response },
    });
  }
}
