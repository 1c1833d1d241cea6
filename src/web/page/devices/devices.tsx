import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import type { Access, AuditLine, KnownDevice } from '../../contract/index.js';
import { Age } from '../frame/age.js';
import { Loading } from '../frame/loading.js';
import { refusalWords } from '../inbox/card-desk.js';
import { usePage } from '../page-context.js';

const CAN = { view: 'can look', answer: 'can answer', steer: 'can answer and steer' } as const;
const STATES = { 'signed-in': '', revoked: 'signed out', expired: 'away for too long, signed out' } as const;

/** Shows who is signed in and what was done through the page. Signing out others is left to the terminal. */
export function Devices() {
  const { store } = usePage();
  const access = useSignal<Access | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    void store.api.read<Access>('devices').then((reply) => {
      if (reply.isDone) access.value = reply.value;
      else {
        fault.value = refusalWords(reply);
        store.noteRefused(reply);
      }
    });
  }, [store, access, fault]);
  if (fault.value !== null)
    return (
      <section>
        <h1>Devices</h1>
        <p class="empty">{fault.value}</p>
      </section>
    );
  if (access.value === null) return <Loading title="Devices" />;
  const own = store.state.value.me?.device ?? access.value.devices[0]?.id;
  return (
    <section class="devices">
      <h1>Devices</h1>
      <ul class="device-list">
        {access.value.devices.map((device) => (
          <DeviceRow key={device.id} device={device} isOwn={device.id === own} />
        ))}
      </ul>
      <p class="hint">
        To sign one out in a terminal: <code>holdfast web devices revoke &lt;device&gt;</code>, or{' '}
        <code>all</code>. To add one: <code>holdfast web pair</code>.
      </p>
      <h2>What was done</h2>
      {access.value.audit.length === 0 ? (
        <p class="hint">Nothing yet.</p>
      ) : (
        <Audit lines={access.value.audit} />
      )}
    </section>
  );
}

function DeviceRow({ device, isOwn }: { device: KnownDevice; isOwn: boolean }) {
  const { id, name, can, seenAt, state, isNotified } = device;
  return (
    <li class={state === 'signed-in' ? 'device' : 'device over'}>
      <p class="device-name">
        <strong>{visibleLabel(name)}</strong> {isOwn ? <span class="tag">this device</span> : null}
      </p>
      <p class="hint">
        <code>{id.slice(0, 8)}</code> · {state === 'signed-in' ? CAN[can] : STATES[state]} · here{' '}
        <Age at={seenAt} /> ago
        {isNotified ? ' · is notified' : null}
      </p>
    </li>
  );
}

const WHAT: Readonly<Record<string, string>> = {
  'sign-in': 'signed in',
  'sign-in-refused': 'wrong code',
  'sign-out': 'signed out',
  revoked: 'signed out at the terminal',
  answer: 'answered',
  reject: 'rejected',
  'take-back': 'took back its decision on',
  steer: 'steered a run',
  link: 'created a sign-in code',
  notify: 'changed its notifications',
};

function Audit({ lines }: { lines: readonly AuditLine[] }) {
  return (
    <ol class="audit">
      {lines.map((line, index) => (
        <li key={index}>
          <span>
            {line.name === null
              ? line.what === 'link'
                ? 'The terminal'
                : 'Somebody'
              : visibleLabel(line.name)}{' '}
            {WHAT[line.what] ?? visibleLabel(line.what)}
            {line.id === null ? null : (
              <>
                {' '}
                <code>{visibleLabel(line.id).slice(0, 8)}</code>
              </>
            )}
            {line.result === 'done' || line.what === 'sign-in-refused'
              ? null
              : `: refused (${visibleLabel(line.result)})`}
          </span>
          <span class="hint">
            <Age at={line.at} /> ago{line.address === null ? null : `, from ${visibleLabel(line.address)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
