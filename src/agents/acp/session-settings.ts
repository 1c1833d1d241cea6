import type { ConfigOption, OpenedSession } from './schema.js';

/** Sends a request about the session. Throws what the agent answers. */
type Send = (method: string, params: object) => Promise<unknown>;

/** Sets the first of these modes that the agent offers; does nothing if it offers none. */
export async function chooseMode(
  send: Send,
  session: OpenedSession,
  wanted: readonly string[],
): Promise<void> {
  const offered = session.modes?.availableModes.map(({ id }) => id) ?? [];
  const modeId = wanted.find((id) => offered.includes(id));
  if (modeId !== undefined) {
    if (modeId !== session.modes?.currentModeId) await send('session/set_mode', { modeId });
    return;
  }
  const option = optionOf(session, 'mode');
  const value = wanted.find((id) => option?.options.some((choice) => choice.value === id));
  if (option === undefined || value === undefined || value === option.currentValue) return;
  await send('session/set_config_option', { configId: option.id, value });
}

/** Chooses the model by id or by name. False if the agent offers no way to do so. */
export async function chooseModel(send: Send, session: OpenedSession, model: string): Promise<boolean> {
  const option = optionOf(session, 'model');
  if (option !== undefined) {
    const known = option.options.find(({ value, name }) => isSame(model, value, name));
    await send('session/set_config_option', { configId: option.id, value: known?.value ?? model });
    return true;
  }
  if (session.models === undefined) return false;
  const known = session.models.availableModels.find(({ modelId, name }) => isSame(model, modelId, name));
  await send('session/set_model', { modelId: known?.modelId ?? model });
  return true;
}

/** The model the agent says it uses. */
export function modelOf(session: OpenedSession): string | null {
  return optionOf(session, 'model')?.currentValue ?? session.models?.currentModelId ?? null;
}

function optionOf(session: OpenedSession, category: string): ConfigOption | undefined {
  const options = session.configOptions ?? [];
  return options.find((option) => option.category === category) ?? options.find(({ id }) => id === category);
}

function isSame(wanted: string, id: string, name: string | undefined): boolean {
  return id === wanted || name?.toLowerCase() === wanted.toLowerCase();
}
