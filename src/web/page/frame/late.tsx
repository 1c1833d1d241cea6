import { useSignal } from '@preact/signals';
import type { ComponentType, VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Loading } from './loading.js';

type Load<Props> = () => Promise<ComponentType<Props>>;

/** What has been loaded: available at once the next time. */
const known = new WeakMap<() => Promise<unknown>, unknown>();

/** Loads a place before it is shown. */
export async function loadAhead<Props>(load: Load<Props>): Promise<ComponentType<Props>> {
  const View = await load();
  known.set(load, View);
  return View;
}

/** Most people look at the inbox first: every other place is a separate file, loaded when opened. */
export function Late<Props extends object>({
  load,
  props,
  meanwhile = <Loading title="" />,
}: {
  load: Load<Props>;
  props: Props;
  meanwhile?: VNode;
}) {
  const settled = useSignal<{ readonly load: Load<Props>; readonly isFailed: boolean } | null>(null);
  useLayoutEffect(() => {
    if (known.has(load)) return;
    loadAhead(load).then(
      () => {
        settled.value = { load, isFailed: false };
      },
      () => {
        settled.value = { load, isFailed: true };
      },
    );
  }, [load, settled]);
  const isFailed = settled.value?.load === load && settled.value.isFailed;
  const View = known.get(load) as ComponentType<Props> | undefined;
  if (isFailed)
    return <p class="empty">This part of the page could not be loaded. Reload it when you are online.</p>;
  return View === undefined ? meanwhile : <View {...props} />;
}
