import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Another server on this machine, such as one an agent builds, and everything it receives. */
export interface ForeignServer extends AsyncDisposable {
  readonly port: number;
  readonly heard: { readonly line: string; readonly cookie: string }[];
}

export async function foreignServer(): Promise<ForeignServer> {
  const heard: ForeignServer['heard'] = [];
  const server = createServer((request, response) => {
    heard.push({ line: `${request.method} ${request.url}`, cookie: request.headers.cookie ?? '' });
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>foreign</title><p>Foreign');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/**
 * Everything a page can do to another origin with its viewer's cookies, as a script. It returns what it could read, by
 * the name of the attack. The attack failed completely only if nothing could be read.
 */
export function attackScript(target: string, id: string): string {
  return `(async () => {
    const target = ${JSON.stringify(target)}, answerAt = target + '/api/questions/${id}/answer';
    const body = JSON.stringify({ answers: [{ questionIndex: 0, selectedOption: 'PostgreSQL' }], isWhole: true });
    const read = {};
    const tries = async (name, act) => { try { read[name] = await act(); } catch (error) { read[name] = 'refused'; } };
    const told = async (response) => response.type === 'opaque' ? 'opaque' : response.status + ' ' + (await response.text());
    const json = { 'content-type': 'application/json' };
    await tries('read', async () => told(await fetch(target + '/api/state', { credentials: 'include' })));
    await tries('read no-cors', async () => told(await fetch(target + '/api/state', { credentials: 'include', mode: 'no-cors' })));
    await tries('shell', async () => told(await fetch(target + '/', { credentials: 'include' })));
    await tries('write', async () => told(await fetch(answerAt, { method: 'POST', credentials: 'include', headers: json, body })));
    await tries('write no-cors', async () => told(await fetch(answerAt, { method: 'POST', credentials: 'include', mode: 'no-cors', body })));
    await tries('stop no-cors', async () => told(await fetch(target + '/api/runs/x/request', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"kind":"stop"}' })));
    await tries('beacon', async () => { navigator.sendBeacon(answerAt, new Blob([body], { type: 'text/plain' })); return 'opaque'; });
    await tries('events', () => new Promise((resolve) => {
      const source = new EventSource(target + '/api/events', { withCredentials: true });
      source.onmessage = () => resolve('told'); source.onopen = () => resolve('open');
      source.onerror = () => { source.close(); resolve('refused'); };
    }));
    const element = (name, attributes) => new Promise((resolve) => {
      const made = Object.assign(document.createElement(name), attributes);
      made.onload = () => resolve('loaded'); made.onerror = () => resolve('refused');
      document.body.append(made);
    });
    await tries('image', () => element('img', { src: target + '/api/state' }));
    await tries('script', () => element('script', { src: target + '/api/state' }));
    await tries('frame', async () => {
      const frame = document.createElement('iframe');
      frame.src = target + '/';
      const loaded = new Promise((resolve) => { frame.onload = resolve; });
      document.body.append(frame);
      await loaded;
      return frame.contentDocument === null ? 'refused' : 'read: ' + frame.contentDocument.title;
    });
    await tries('form', async () => {
      const [frame, form] = [document.createElement('iframe'), document.createElement('form')];
      frame.name = 'sink';
      Object.assign(form, { action: answerAt, method: 'post', enctype: 'text/plain', target: 'sink' });
      const field = Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' });
      form.append(field);
      const loaded = new Promise((resolve) => { frame.addEventListener('load', resolve); });
      document.body.append(frame, form);
      await loaded;
      const answered = new Promise((resolve) => { frame.addEventListener('load', resolve); });
      form.submit();
      await answered;
      return frame.contentDocument === null ? 'refused' : 'read';
    });
    return read;
  })()`;
}
