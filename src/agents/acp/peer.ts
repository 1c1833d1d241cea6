import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionResponse,
  Stream,
} from '@agentclientprotocol/sdk';
import { PermissionParams } from './schema.js';

/** What the agent may ask of us. */
export interface PeerHandlers {
  onPermission(request: PermissionParams, signal: AbortSignal): Promise<RequestPermissionResponse>;
  onElicitation(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
}

/** The agent at the other end. */
export interface Peer {
  /** Rejects with what the agent answered (a RequestError), or because the connection is gone. */
  request(method: string, params: unknown): Promise<unknown>;
  /** Sends a notification; a lost connection is not an error here. */
  notify(method: string, params: unknown): void;
  close(): void;
}

/**
 * Speaks the protocol over a stream. The SDK answers requests for files and terminals, which we do not offer, with
 * "method not found". The SDK is loaded only here, because loading takes a tenth of a second.
 */
export async function connectPeer(stream: Stream, handlers: PeerHandlers): Promise<Peer> {
  const { client, methods } = await import('@agentclientprotocol/sdk');
  const connection = client({ name: 'holdfast' })
    .onRequest(methods.client.session.requestPermission, PermissionParams, ({ params, signal }) =>
      handlers.onPermission(params, signal),
    )
    .onRequest(methods.client.elicitation.create, ({ params, signal }) =>
      handlers.onElicitation(params, signal),
    )
    .connect(stream);
  return {
    request: (method, params) => connection.agent.request<unknown>(method, params),
    notify: (method, params) => void connection.agent.notify(method, params).catch(() => {}),
    close: () => connection.close(),
  };
}
