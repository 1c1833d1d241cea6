import { HoldfastError } from './errors.js';

/** A state machine as a table: each event leads from some states to one state. */
export interface Lifecycle<State extends string, Event extends string> {
  readonly states: readonly [State, ...State[]];
  readonly initial: State;
  readonly on: Readonly<Record<Event, { readonly from: readonly State[]; readonly to: State }>>;
}

/** Declares a lifecycle; the types of states and events come from the table. */
export function defineLifecycle<const State extends string, const Event extends string>(
  table: Lifecycle<State, Event>,
): Lifecycle<State, Event> {
  return table;
}

/** The state after an event. Throws ILLEGAL_TRANSITION if the table has no such row. */
export function next<State extends string, Event extends string>(
  lifecycle: Lifecycle<State, Event>,
  current: State,
  event: Event,
): State {
  const row = lifecycle.on[event];
  if (!row.from.includes(current)) throw new IllegalTransitionError(current, event, row.from);
  return row.to;
}

/** Whether an event is allowed in a state. */
export function allows<State extends string, Event extends string>(
  lifecycle: Lifecycle<State, Event>,
  current: State,
  event: Event,
): boolean {
  return lifecycle.on[event].from.includes(current);
}

/** Whether no event leads out of a state. */
export function isTerminal<State extends string, Event extends string>(
  lifecycle: Lifecycle<State, Event>,
  state: State,
): boolean {
  return Object.values<{ from: readonly State[] }>(lifecycle.on).every((row) => !row.from.includes(state));
}

/** An event that the lifecycle does not allow in the session's current state. */
export class IllegalTransitionError extends HoldfastError<'ILLEGAL_TRANSITION'> {
  readonly code = 'ILLEGAL_TRANSITION';
  readonly state: string;
  readonly event: string;

  constructor(state: string, event: string, from: readonly string[]) {
    super(
      `Cannot ${event} a session that is ${state}; this is possible only when it is ${from.join(' or ')}`,
    );
    this.state = state;
    this.event = event;
  }
}
