import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Loading } from './loading.js';

/** Most people look at the inbox first: every other place is a file of its own, loaded when it is opened. */
export function Late<Props extends object>({
  load,
  props,
}: {
  load: () => Promise<ComponentType<Props>>;
  props: Props;
}) {
  const loaded = useSignal<{ readonly View: ComponentType<Props> } | 'failed' | null>(null);
  useLayoutEffect(() => {
    load().then(
      (View) => {
        loaded.value = { View };
      },
      () => {
        loaded.value = 'failed';
      },
    );
  }, [load, loaded]);
  if (loaded.value === null) return <Loading title="" />;
  if (loaded.value === 'failed')
    return <p class="empty">This part of the page could not be loaded. Reload it when you are online.</p>;
  const { View } = loaded.value;
  return <View {...props} />;
}
