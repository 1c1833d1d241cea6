import { visibleLine } from '../../foundation/index.js';
import type { RunStart } from '../../run/stopped-run.js';

/** How a run goes on that was started before. */
export function describeStart({ agent, model, permissions, context }: Omit<RunStart, 'verify'>): string {
  const parts = [
    agent,
    ...(model === undefined ? [] : [`model ${model}`]),
    `permissions ${permissions}`,
    `context ${context}`,
  ];
  return `Resuming with the same options: ${visibleLine(parts.join(', '))}`;
}
