import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { usePage } from '../page-context.js';
import { KEYS } from './keys.js';
import { Late } from './late.js';
import { Sheet } from './sheet.js';
import type { ThemeChoice } from './theme.js';

const THEMES: readonly (readonly [ThemeChoice, string])[] = [
  ['system', 'Like the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const MAY = {
  view: 'may look',
  answer: 'may look and answer',
  steer: 'may look, answer and steer runs',
} as const;

/** What this browser shows and is allowed to do. */
export function Settings({ onClose }: { onClose: () => void }) {
  const { theme, keys, store } = usePage();
  const { me } = store.state.value;
  return (
    <Sheet title="Settings" onClose={onClose}>
      <fieldset class="choices">
        <legend>Theme</legend>
        {THEMES.map(([choice, words]) => (
          <label key={choice}>
            <input
              type="radio"
              name="theme"
              checked={theme.choice.value === choice}
              onChange={() => theme.choose(choice)}
            />
            {words}
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>Keyboard</legend>
        <label>
          <input
            type="checkbox"
            checked={keys.isOn.value}
            onChange={(event) => keys.switch(event.currentTarget.checked)}
          />
          Single-letter keys
        </label>
        <button
          type="button"
          class="link"
          onClick={() => {
            onClose();
            keys.isHelpShown.value = true;
          }}
        >
          Show all keys
        </button>
      </fieldset>
      <Late load={notify} props={{}} />
      {me === null ? null : (
        <>
          <p class="hint">
            This device is “{visibleLabel(me.name)}” and {MAY[me.can]}.
          </p>
          <a class="all-devices" href="/devices" onClick={onClose}>
            All devices
          </a>
        </>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Done
        </button>
        <button type="button" class="quiet" onClick={() => void store.signOut()}>
          Sign out
        </button>
      </div>
    </Sheet>
  );
}

const notify = () => import('../pocket/notify.js').then(({ Notify }) => Notify);

export function KeysHelp({ onClose }: { onClose: () => void }) {
  const { keys } = usePage();
  return (
    <Sheet title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([name, does]) => (
          <div key={name}>
            <dt>
              <kbd>{name}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {keys.isOn.value
          ? 'Single-letter keys do nothing while you type. Settings switch them off.'
          : 'Single-letter keys are switched off in the settings.'}
      </p>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Sheet>
  );
}
