import { visibleLine } from '../../foundation/index.js';
import type { RunStart } from '../../run/open/stopped-run.js';

type Options = Omit<RunStart, 'verify'>;

/** How a run is resumed, and which options differ from before. */
export function describeStart(now: Options, before: Options): string {
  const model = (options: Options) => options.model ?? 'its usual model';
  const account = (options: Options) => options.account ?? 'its own login';
  const parts = [
    part('', now.agent, before.agent),
    ...(now.account === undefined && before.account === undefined
      ? []
      : [part('account ', account(now), account(before))]),
    ...(now.model === undefined && before.model === undefined
      ? []
      : [part('model ', model(now), model(before))]),
    part('permissions ', now.permissions, before.permissions),
    part('context ', now.context, before.context),
  ];
  const isSame = (['agent', 'account', 'model', 'permissions', 'context'] as const).every(
    (key) => now[key] === before[key],
  );
  return `Resuming with ${isSame ? 'the same options' : 'these options'}: ${visibleLine(parts.join(', '))}`;
}

function part(name: string, now: string, before: string): string {
  return now === before ? `${name}${now}` : `${name}${now} (was ${before})`;
}
