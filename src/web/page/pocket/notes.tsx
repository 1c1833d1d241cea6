import { usePage } from '../page-context.js';
import { timeOfDay } from '../words.js';

/** What has to be said about the page itself: it shows what was kept, or there is a newer version of it. */
export function PocketNotes() {
  const { pocket } = usePage();
  const { keptAt, update } = pocket;
  const take = update.value;
  return (
    <>
      {keptAt.value === null ? null : (
        <p class="pocket-note">
          Nobody answers. This is the inbox as it was at {timeOfDay(Date.parse(keptAt.value))}; what you type
          is kept here, and sent when you say so.
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
