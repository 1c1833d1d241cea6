import * as z from 'zod';
import {
  InvalidInputError,
  oneOf,
  record,
  textThat,
  type ValueOf,
  whole,
} from '../../../foundation/index.js';

/**
 * The measured conditions that can end a phase; see `phase-gate.ts`. The first four use the published numbers and are
 * stored in sessions of release 0.1, so their meaning does not change.
 */
const GATES = [
  'new-tests-fail',
  'tests-pass',
  'still-green',
  'documents',
  'story-done',
  'a-test-fails',
  'all-pass',
  'checks-green',
  'document-changed',
  'work-done',
] as const;
export type GateName = (typeof GATES)[number];

const NAME = /^[A-Z][A-Z0-9_-]{0,31}$/;
const NAME_WORDS = 'capital letters, digits, dash and underscore';
const MAX_ITERATIONS = 100;

/** One phase of a loop: its name, its gate, and when the breaker opens in it. */
export const Phase = record({
  name: textThat((name) => NAME.test(name), NAME_WORDS),
  gate: oneOf(GATES),
  /** Iterations without progress after which the breaker opens. */
  noProgress: whole(1, MAX_ITERATIONS),
  /** Iterations with the same error after which the breaker opens. */
  sameError: whole(1, MAX_ITERATIONS),
});
export type Phase = ValueOf<typeof Phase>;

/** What a configuration may say about a phase: a phase of the preset by name, with other settings, or a new one. */
export const PhaseSetting = z.strictObject({
  name: z.string().regex(NAME, NAME_WORDS),
  gate: z.enum(GATES).optional(),
  noProgress: z.int().min(1).max(MAX_ITERATIONS).optional(),
  sameError: z.int().min(1).max(MAX_ITERATIONS).optional(),
});
export type PhaseSetting = z.infer<typeof PhaseSetting>;

/** The presets for working through a plan, the loosest first. */
export const PLAN_PRESETS = ['work', 'tdd', 'tdd-strict'] as const;
export type PlanPreset = (typeof PLAN_PRESETS)[number];
export const PRESET_NAMES = [...PLAN_PRESETS, 'story'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** A named, ordered list of phases. */
export interface Preset {
  readonly name: PresetName;
  readonly phases: readonly Phase[];
}

const UNKNOWN_LIMITS = { noProgress: 3, sameError: 5 };

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  tdd: {
    name: 'tdd',
    phases: [
      { name: 'RED', gate: 'a-test-fails', noProgress: 3, sameError: 5 },
      { name: 'GREEN', gate: 'all-pass', noProgress: 2, sameError: 3 },
      { name: 'REFACTOR', gate: 'checks-green', noProgress: 5, sameError: 5 },
      { name: 'DOCUMENT', gate: 'document-changed', noProgress: 3, sameError: 5 },
    ],
  },
  'tdd-strict': {
    name: 'tdd-strict',
    phases: [
      { name: 'RED', gate: 'new-tests-fail', noProgress: 3, sameError: 5 },
      { name: 'GREEN', gate: 'tests-pass', noProgress: 2, sameError: 3 },
      { name: 'REFACTOR', gate: 'still-green', noProgress: 5, sameError: 5 },
      { name: 'DOCUMENT', gate: 'documents', noProgress: 3, sameError: 5 },
    ],
  },
  work: { name: 'work', phases: [{ name: 'WORK', gate: 'work-done', ...UNKNOWN_LIMITS }] },
  story: { name: 'story', phases: [{ name: 'STORY', gate: 'story-done', ...UNKNOWN_LIMITS }] },
};

/** A preset as configured: only these phases, in this order, with these settings. Throws INVALID_INPUT. */
export function resolvePreset(name: PresetName, settings?: readonly PhaseSetting[]): Preset {
  const preset = PRESETS[name];
  if (settings === undefined) return preset;
  const names = settings.map((setting) => setting.name);
  const doubled = names.find((phase, index) => names.indexOf(phase) !== index);
  if (doubled !== undefined) throw new InvalidInputError(`The phase ${doubled} is listed twice`);
  if (settings.length === 0) throw new InvalidInputError('A loop needs at least one phase');
  return { name, phases: settings.map((setting) => tuned(preset, setting)) };
}

/** The sources that may choose the phases of a plan. */
export interface PresetWishes {
  /** From the command line: overrides everything else. */
  readonly typed?: PlanPreset | undefined;
  /** From the plan's own front matter, a file of the project. It may not loosen what the person configured. */
  readonly plan?: PlanPreset | undefined;
  readonly configured?: PlanPreset | undefined;
  /** Phases the person configured one by one. */
  readonly phases?: readonly PhaseSetting[] | undefined;
}

export interface ChosenPreset {
  readonly preset: Preset;
  readonly from: 'command line' | 'plan' | 'config' | 'default';
  /** What the plan asked for but did not get. */
  readonly refused: PlanPreset | null;
}

/** The phases of a new session. Throws INVALID_INPUT if the phases make no sense. */
export function choosePreset({ typed, plan, configured, phases }: PresetWishes): ChosenPreset {
  if (typed !== undefined) return { preset: PRESETS[typed], from: 'command line', refused: null };
  if (phases !== undefined)
    return { preset: resolvePreset(configured ?? 'tdd', phases), from: 'config', refused: plan ?? null };
  if (plan !== undefined && (configured === undefined || isStricter(plan, configured)))
    return { preset: PRESETS[plan], from: 'plan', refused: null };
  const from = configured === undefined ? 'default' : 'config';
  return { preset: PRESETS[configured ?? 'tdd'], from, refused: plan === configured ? null : (plan ?? null) };
}

function isStricter(preset: PlanPreset, other: PlanPreset): boolean {
  return PLAN_PRESETS.indexOf(preset) > PLAN_PRESETS.indexOf(other);
}

function tuned(preset: Preset, setting: PhaseSetting): Phase {
  const known = preset.phases.find((phase) => phase.name === setting.name);
  const gate = setting.gate ?? known?.gate;
  if (gate === undefined) {
    throw new InvalidInputError(
      `The phase ${setting.name} is not in the preset ${preset.name} and names no gate`,
      {
        hint: `Give it one of the gates ${GATES.join(', ')}.`,
      },
    );
  }
  return {
    name: setting.name,
    gate,
    noProgress: setting.noProgress ?? known?.noProgress ?? UNKNOWN_LIMITS.noProgress,
    sameError: setting.sameError ?? known?.sameError ?? UNKNOWN_LIMITS.sameError,
  };
}
