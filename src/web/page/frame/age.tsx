import { useComputed } from '@preact/signals';
import { usePage } from '../page-context.js';
import { ageWords } from '../words.js';

/** How long ago something was; updates on its own. */
export function Age({ at }: { at: string }) {
  const { store } = usePage();
  const words = useComputed(() => ageWords(at, store.serverNow.value));
  return <time dateTime={at}>{words}</time>;
}
