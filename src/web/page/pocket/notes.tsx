import type { Place } from '../frame/place.js';
import { usePage } from '../page-context.js';
import { timeOfDay } from '../words.js';

/** Notes about the page itself: it shows a kept snapshot, or there is a newer version. */
export function PocketNotes() {
  const { pocket, router } = usePage();
  const { keptAt, update } = pocket;
  const take = update.value;
  return (
    <>
      {keptAt.value === null ? null : (
        <p class="pocket-note">
          The server does not answer. {keptWords(router.place.value, timeOfDay(Date.parse(keptAt.value)))}
        </p>
      )}
      {take === null ? null : (
        <p class="pocket-note" role="status">
          There is a newer version of this page.{' '}
          <button type="button" onClick={take}>
            Reload
          </button>
        </p>
      )}
    </>
  );
}

/** What a place can show without a server: only the inbox and the runs are kept. */
function keptWords({ name }: Place, time: string): string {
  if (name === 'inbox' || name === 'question')
    return `This is the inbox as it was at ${time}; what you type is kept here, and sent when you say so.`;
  if (name === 'runs') return `These are the runs as they were at ${time}.`;
  return 'This place needs the server; only the inbox and the list of runs are kept.';
}
