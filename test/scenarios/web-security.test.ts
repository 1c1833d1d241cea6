import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { permissionAsker } from '../../src/sessions/question/index.js';
import { revokeDevice, webPlace } from '../../src/web/server/index.js';
import { PATIENT } from '../support/deadlines.js';
import { question } from '../support/question-world.js';
import { verifies } from '../support/verifies.js';
import { sendTo, signIn, type WebBrowser, type WebWorld, webWorld } from '../support/web-world.js';

let world: WebWorld;
let browser: WebBrowser;

beforeAll(async () => {
  world = await webWorld();
  browser = await world.signIn('steer');
});
afterAll(() => world[Symbol.asyncDispose]());

const READS = [
  '/api/state',
  '/api/me',
  '/api/events',
  '/api/openapi.json',
  '/api/questions/x',
  '/api/runs/x',
];
const OPTIONS = [{ label: 'a' }, { label: 'b' }];
const A = { answers: [{ questionIndex: 0, selectedOption: 'a' }], isWhole: true };

async function newSet(): Promise<string> {
  return (await world.services.questions.create([question({ options: OPTIONS })])).id;
}

async function statusOf(id: string): Promise<string> {
  return (await world.services.questions.get(id)).outcome.status;
}

/** A write that would count if nothing were wrong with it. */
async function answer(
  headers: Record<string, string | undefined>,
): Promise<{ status: number; code: string; id: string }> {
  const id = await newSet();
  const reply = await world.send(`/api/questions/${id}/answer`, { method: 'POST', headers, body: A });
  expect(await statusOf(id)).toBe(reply.status === 200 ? 'completed' : 'pending');
  return { status: reply.status, code: reply.status === 200 ? '' : reply.json.code, id };
}

describe('S1: nobody gets in without signing in', () => {
  verifies('W03', 'S1 neither cookie nor key: 401 for every read', async () => {
    for (const path of READS)
      expect([path, (await world.send(path)).status, (await world.send(path)).json.code]).toEqual([
        path,
        401,
        'NOT_SIGNED_IN',
      ]);
  });

  verifies('W03', 'S1 neither cookie nor key: 401 for every write, and nothing happens', async () => {
    expect(await answer({ origin: world.origin })).toMatchObject({ status: 401, code: 'NOT_SIGNED_IN' });
    const reply = await world.send('/api/runs/x/request', {
      method: 'POST',
      headers: { origin: world.origin },
      body: { kind: 'stop' },
    });
    expect(reply.status).toBe(401);
  });
});

describe('S2: no other page can write or read', () => {
  verifies('W03', 'S2 a write without Origin: 403', async () => {
    expect(await answer({ ...browser.headers, origin: undefined })).toMatchObject({
      status: 403,
      code: 'FOREIGN_ORIGIN',
    });
  });

  verifies(
    'W03',
    'S2 a write from another origin, of another local port, by another scheme or name, or null: 403',
    async () => {
      const port = world.port;
      for (const origin of [
        'https://evil.example',
        'null',
        `http://localhost:${port}`,
        `http://127.0.0.1:${port}`,
        `http://127.0.0.1:${port + 1}`,
        world.origin.replace('http:', 'https:'),
        `${world.origin}.evil.example`,
        world.origin.replace(`:${port}`, ''),
        `${world.origin}/`,
      ])
        expect([origin, (await answer({ ...browser.headers, origin })).code]).toEqual([
          origin,
          'FOREIGN_ORIGIN',
        ]);
    },
  );

  verifies('W03', 'S2 Sec-Fetch-Site that is not same-origin: 403, for writes and for reads', async () => {
    for (const site of ['same-site', 'cross-site', 'none']) {
      expect((await answer({ ...browser.headers, 'sec-fetch-site': site })).code).toBe('FOREIGN_ORIGIN');
      const { cookie, key } = browser;
      for (const path of READS) {
        const headers = { cookie, 'x-holdfast-key': key, 'sec-fetch-site': site };
        expect([path, (await world.send(path, { headers })).status]).toEqual([path, 403]);
      }
    }
    expect((await answer({ ...browser.headers, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  verifies('W03', 'S2 there are no CORS headers, neither for a preflight nor elsewhere', async () => {
    const preflight = await world.send('/api/state', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-holdfast-key',
      },
    });
    expect(preflight.status).toBe(403);
    const replies = [preflight, await world.send('/'), await browser.get('/api/state')];
    for (const { headers } of replies)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  verifies(
    'W03',
    'S2 a write must be JSON: a form or plain text, which any page can send, is 415',
    async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'text/plain; application/json',
        undefined,
      ])
        expect((await answer({ ...browser.headers, 'content-type': type })).code).toBe('NOT_JSON');
    },
  );
});

describe('S3: a name that points here is not enough', () => {
  verifies(
    'W03',
    'S3 a foreign Host, or none: 421 before anything else, for pages, API and sign-in',
    async () => {
      const { port } = world;
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        `localhost:${port}`,
        '127.0.0.1',
        `${new URL(world.origin).hostname}`,
        `x.${new URL(world.origin).host}`,
        '',
      ]) {
        for (const path of ['/', '/api/state', '/nothing', '/api/login']) {
          const reply = await sendTo(world.origin, port, path, { headers: { ...browser.headers, host } });
          expect([host, path, reply.status]).toEqual([host, path, 421]);
          expect(reply.headers['content-security-policy']).toContain("default-src 'none'");
        }
      }
      expect((await sendTo(world.origin, port, '/', { headers: { host: undefined } })).status).toBe(421);
    },
  );

  verifies(
    'W03',
    'S3 the numbers of this machine are names of ours, but whoever signed in at another one is not known there',
    async () => {
      for (const host of [`127.0.0.1:${world.port}`, `[::1]:${world.port}`]) {
        expect((await world.send('/', { headers: { host } })).status).toBe(200);
        const { cookie, key } = browser;
        expect(
          (await world.send('/api/me', { headers: { host, cookie, 'x-holdfast-key': key } })).status,
        ).toBe(401);
      }
    },
  );

  verifies('W03', 'S3 what a proxy is said to have heard is not believed', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': new URL(world.origin).host,
      forwarded: `host=${new URL(world.origin).host}`,
    };
    expect((await world.send('/', { headers })).status).toBe(421);
  });
});

describe('S4: no secret in a URL, a log or a list of processes', () => {
  verifies(
    'W03',
    'S4 code, cookie and key stand in no file, no output and no argument of a process',
    async () => {
      await using own = await webWorld();
      const code = own.code('answer');
      const { cookie, key } = await signIn(own.origin, own.port, code, 'x');
      const secrets = [code, cookie.split('=')[1] ?? '', key];
      const root = own.machine.env.HOLDFAST_HOME ?? '';
      const texts = filesIn(root).map((path) => readFileSync(path, 'latin1'));
      const commands = pids().map((pid) => commandLineOf(pid));
      const output = `${own.running?.stdout}${own.running?.stderr}`;
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThanOrEqual(32);
        expect([...texts, ...commands, output].filter((text) => text.includes(secret))).toEqual([]);
      }
    },
  );

  verifies('W03', 'S4 a secret in the query counts for nothing', async () => {
    const query = `?key=${browser.key}&token=${browser.key}&code=${world.code()}`;
    expect((await world.send(`/api/state${query}`, { headers: { cookie: browser.cookie } })).status).toBe(
      403,
    );
    expect((await world.send(`/api/state${query}`)).status).toBe(401);
  });

  verifies(
    'W03',
    'S4 without a terminal no link is printed, and `web link` refuses; so it does where an agent works',
    async () => {
      if (world.running !== undefined)
        expect(`${world.running.stdout}${world.running.stderr}`).not.toContain('code=');
      const { code, data } = await world.machine.asideJson(['web', 'link']);
      expect([code, data.code]).toEqual([3, 'LINK_REFUSED']);
    },
  );
});

describe('S5: nothing of a request becomes a path, a program or an argument', () => {
  verifies('W03', 'S5 traversal in every spelling is refused, and never a file', async () => {
    for (const path of [
      '/../../../../etc/passwd',
      '/..%2f..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/../../etc/passwd',
      '/q/../../etc/passwd',
      '/q/%2e%2e%2fetc',
      '//etc/passwd',
      '/\\..\\..\\etc\\passwd',
      '/api/questions/..%2f..%2fstate',
      '/api/questions/%2e%2e',
      '/api/runs/..%2f..%2f..%2fetc%2fpasswd',
      `/api/events?run=${encodeURIComponent('../../../etc/passwd:0')}`,
    ]) {
      const reply = await browser.get(path);
      expect([path, [400, 404, 421].includes(reply.status)]).toEqual([path, true]);
      expect(reply.text).not.toContain('root:');
    }
  });

  verifies('W03', 'S5 the page starts no program and opens no file: there is no such address', async () => {
    for (const path of [
      '/api/terminal',
      '/api/files',
      '/api/exec',
      '/api/runs',
      '/api/agents',
      '/api/devices',
      '/api/audit',
    ])
      expect([path, (await browser.post(path, { command: 'id' })).status]).toEqual([path, 404]);
  });
});

describe('S6: text of agents is text', () => {
  verifies(
    'W03',
    'S6 every response forbids inline scripts and markup from strings, types are fixed, and text comes as JSON',
    async () => {
      const replies = [
        await world.send('/'),
        await world.send('/nothing'),
        await browser.get('/api/state'),
        await world.send('/api/state'),
        await world.send('/', { headers: { host: 'evil' } }),
        await browser.post('/api/login', '{'),
      ];
      for (const { headers } of replies) {
        expect(headers).toMatchObject({
          'content-security-policy':
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types holdfast-md holdfast-worker",
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'permissions-policy': expect.stringContaining('camera=()'),
        });
        expect(headers['cache-control']).toMatch(/^no-(store|cache)$/);
      }
      const { id } = await world.services.questions.create([
        question({ prompt: '<img src=x onerror=alert(1)></script>', options: OPTIONS }),
      ]);
      const { headers, json } = await browser.get(`/api/questions/${id}`);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['cache-control']).toBe('no-store');
      expect(json.set.questions[0].prompt).toBe('<img src=x onerror=alert(1)></script>');
    },
  );
});

describe('S7: what is told holds no secret', () => {
  verifies(
    'W03',
    'S7 neither the state, nor the devices, nor an error tells a secret or its hash',
    async () => {
      const texts = [
        (await browser.get('/api/state')).text,
        (await browser.get('/api/me')).text,
        (await browser.get('/api/questions/x')).text,
        (await world.machine.aside(['web', 'devices', '--json'])).stdout,
      ].join('\n');
      const [, cookie = ''] = browser.cookie.split('=');
      for (const secret of [cookie, browser.key]) expect(texts).not.toContain(secret);
      expect(texts).not.toMatch(/[0-9a-f]{64}/);
    },
  );
});

describe('S8: other users of the machine', () => {
  verifies('W03', 'S8 every file of the page is for its owner alone', () => {
    const root = join(world.machine.env.HOLDFAST_HOME ?? '', 'state', 'web');
    for (const path of filesIn(root)) expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    for (const path of [root, join(root, 'devices'), join(root, 'servers')])
      expect(statSync(path).mode & 0o777).toBe(0o700);
  });
});

describe('S9: cookies know no ports', () => {
  verifies('W03', 'S9 the cookie alone: 403, for reads, the stream and writes', async () => {
    const { cookie } = browser;
    for (const path of READS)
      expect([path, (await world.send(path, { headers: { cookie } })).json.code]).toEqual([
        path,
        'KEY_REFUSED',
      ]);
    expect(await answer({ cookie, origin: world.origin })).toMatchObject({
      status: 403,
      code: 'KEY_REFUSED',
    });
  });

  verifies('W03', 'S9 the key alone: 403, for reads, the stream and writes', async () => {
    const headers = { 'x-holdfast-key': browser.key };
    for (const path of READS)
      expect([path, (await world.send(path, { headers })).json.code]).toEqual([path, 'KEY_REFUSED']);
    expect(await answer({ ...headers, origin: world.origin })).toMatchObject({
      status: 403,
      code: 'KEY_REFUSED',
    });
  });

  verifies('W03', 'S9 the cookie of one device with the key of another: 403', async () => {
    const other = await world.signIn('steer');
    expect((await answer({ ...browser.headers, 'x-holdfast-key': other.key })).code).toBe('KEY_REFUSED');
    expect((await answer({ ...browser.headers, 'x-holdfast-key': '' })).code).toBe('KEY_REFUSED');
    expect((await answer({ ...browser.headers, cookie: `${browser.cookie}x` })).code).toBe('NOT_SIGNED_IN');
    expect((await answer({ ...browser.headers, cookie: `${browser.cookie}; ${other.cookie}` })).status).toBe(
      403,
    );
  });

  verifies(
    'W03',
    'S9 the cookie is of this port and this host, for no script and no other site',
    async () => {
      const reply = await world.send('/api/login', {
        method: 'POST',
        headers: { origin: world.origin },
        body: { code: world.code(), name: 'n' },
      });
      const [cookie = ''] = reply.headers['set-cookie'] ?? [];
      expect(cookie).toMatch(
        new RegExp(`^hf_${world.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000$`),
      );
      expect(reply.json.key).toMatch(/^[\w-]{43}$/);
    },
  );
});

describe('the sign-in', () => {
  verifies('W03', 'a code counts once', async () => {
    await using own = await webWorld();
    const code = own.code('view');
    await signIn(own.origin, own.port, code);
    await expect(signIn(own.origin, own.port, code)).rejects.toThrow('401');
  });

  verifies('W03', 'a newer link takes the place of an older one', async () => {
    await using own = await webWorld();
    const [older, newer] = [own.code('view'), own.code('view')];
    await expect(signIn(own.origin, own.port, older)).rejects.toThrow('401');
    await signIn(own.origin, own.port, newer);
  });

  verifies('W03', 'a code counts for one of four who come at once', async () => {
    await using own = await webWorld();
    const code = own.code('view');
    const tries = await Promise.allSettled(
      Array.from({ length: 4 }, () => signIn(own.origin, own.port, code)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  verifies(
    'W03',
    'five wrong codes within a minute: 429 for further ones, and one card says that somebody tried; a right one still counts',
    async () => {
      await using own = await webWorld();
      for (let wrong = 1; wrong <= 5; wrong += 1)
        await expect(signIn(own.origin, own.port, 'x'.repeat(32))).rejects.toThrow('401');
      await expect(signIn(own.origin, own.port, 'x'.repeat(32))).rejects.toThrow('429');
      await signIn(own.origin, own.port, own.code());
      const [card, ...others] = await own.services.questions.list();
      expect(others).toEqual([]);
      expect(card?.questions[0]?.prompt).toContain(
        'Somebody tried to sign in to the page with a wrong code, 5 times',
      );
    },
  );

  verifies('W03', 'a device that was signed out while it was still sending writes nothing', async () => {
    const own = await world.signIn('answer', 'slow');
    const id = await newSet();
    const body = JSON.stringify(A);
    const { host } = new URL(world.origin);
    const json = { 'content-type': 'application/json', 'content-length': body.length };
    const headers = { ...own.headers, ...json, host };
    const path = `/api/questions/${id}/answer`;
    const sending = request({ host: '127.0.0.1', port: world.port, path, method: 'POST', headers });
    const reply = once(sending, 'response');
    sending.write(body.slice(0, 5));
    // It has arrived when another request on the same server has.
    await own.get('/api/me');
    revokeDevice(webPlace(world.services), own.id, 'lost');
    sending.end(body.slice(5));
    const [response] = await reply;
    expect(response.statusCode).toBe(401);
    response.resume();
    expect(await statusOf(id)).toBe('pending');
  });

  verifies('W03', 'signing out ends it: the cookie goes, and neither it nor the key counts', async () => {
    const own = await world.signIn('view');
    const reply = await own.post('/api/logout', {});
    expect(reply.headers['set-cookie']?.[0]).toMatch(/=; .*Max-Age=0/);
    expect((await own.get('/api/me')).status).toBe(401);
  });
});

describe('what a device can', () => {
  verifies('W02', 'view: looks, and changes nothing', async () => {
    const viewer = await world.signIn('view');
    const id = await newSet();
    expect((await viewer.get('/api/state')).status).toBe(200);
    const draft = { questionIndex: 0, answers: [], rejectionReason: '' };
    for (const reply of [
      await viewer.post(`/api/questions/${id}/answer`, A),
      await viewer.post(`/api/questions/${id}/reject`, { reason: null }),
      await viewer.put(`/api/questions/${id}/draft`, draft),
      await viewer.post('/api/runs/abcd/request', { kind: 'stop' }),
    ])
      expect([reply.status, reply.json.code]).toEqual([403, 'NOT_ALLOWED']);
    expect(await statusOf(id)).toBe('pending');
  });

  verifies('W02', 'answer: answers, rejects and keeps drafts, and steers nothing', async () => {
    const answerer = await world.signIn('answer', 'phone\u001b[31m\u202e');
    const id = await newSet();
    const draft = {
      questionIndex: 0,
      answers: [{ selected: ['a'], isOther: true, text: 'half', isConfirmed: false }],
      rejectionReason: '',
    };
    expect((await answerer.put(`/api/questions/${id}/draft`, draft)).status).toBe(200);
    expect((await browser.get(`/api/questions/${id}`)).json.draft).toEqual(draft);
    const { json } = await answerer.post(`/api/questions/${id}/answer`, A);
    expect(json).toMatchObject({
      set: { status: 'completed', actor: expect.stringMatching(/^page:phone/) },
      draft: null,
    });
    expect(json.set.actor).not.toMatch(/[\u001b\u202e]/);
    expect((await answerer.put(`/api/questions/${id}/draft`, draft)).status).toBe(409);
    expect((await answerer.post('/api/runs/abcd/request', { kind: 'stop' })).json.code).toBe('NOT_ALLOWED');
    const other = await newSet();
    const { set } = (await answerer.post(`/api/questions/${other}/reject`, { reason: 'no' })).json;
    expect(set).toMatchObject({ status: 'rejected', rejectionReason: 'no' });
    const shown = await world.machine.aside(['questions', 'show', id]);
    expect(shown.stdout).toContain('answered by page:phone');
  });

  verifies(
    'W02',
    'a permission is allowed only by who saw all of it, and for more than once only by who can steer',
    async () => {
      const answerer = await world.signIn('answer');
      const ask = async () =>
        (
          await world.services.questions.create(
            [question({ options: ['Allow once', 'Deny', 'Allow always'].map((label) => ({ label })) })],
            { asker: permissionAsker({ agent: 'claude' }), isWaiting: true },
          )
        ).id;
      const choose = async (who: WebBrowser, label: string, isWhole: boolean) => {
        const id = await ask();
        const reply = await who.post(`/api/questions/${id}/answer`, {
          answers: [{ questionIndex: 0, selectedOption: label }],
          isWhole,
        });
        return reply.status === 200 ? 200 : reply.json.code;
      };
      expect(await choose(answerer, 'Allow once', false)).toBe('NOT_WHOLE');
      expect(await choose(browser, 'Allow always', false)).toBe('NOT_WHOLE');
      expect(await choose(answerer, 'Allow always', true)).toBe('NOT_ALLOWED');
      expect(await choose(answerer, 'Allow once', true)).toBe(200);
      expect(await choose(answerer, 'Deny', false)).toBe(200);
      expect(await choose(browser, 'Allow always', true)).toBe(200);
    },
  );

  verifies(
    'W02',
    'the first answer wins: the same again is the same, another one is 409 with the one that stands',
    async () => {
      const id = await newSet();
      expect((await browser.post(`/api/questions/${id}/answer`, A)).status).toBe(200);
      expect((await browser.post(`/api/questions/${id}/answer`, A)).status).toBe(200);
      const other = await browser.post(`/api/questions/${id}/answer`, {
        answers: [{ questionIndex: 0, selectedOption: 'b' }],
        isWhole: true,
      });
      expect(other.status).toBe(409);
      expect(other.json).toMatchObject({
        code: 'ALREADY_SETTLED',
        details: { winner: { set: { answers: [{ selectedOption: 'a' }] } } },
      });
    },
  );
});

describe('limits and bad input', () => {
  verifies('W03', 'more than 256 kB: 413, whether its length was told or not', async () => {
    const id = await newSet();
    const body = JSON.stringify({
      ...A,
      answers: [{ questionIndex: 0, customText: 'x'.repeat(300 * 1024) }],
    });
    expect((await browser.post(`/api/questions/${id}/answer`, body)).json.code).toBe('BODY_TOO_LARGE');
    const { headers } = browser;
    const chunked = await world.send(`/api/questions/${id}/answer`, {
      method: 'POST',
      headers: { ...headers, 'transfer-encoding': 'chunked' },
      body,
    });
    expect(chunked.json.code).toBe('BODY_TOO_LARGE');
  });

  it.each([
    ['not JSON', '{'],
    ['of another form', { answers: 'a', isWhole: true }],
    ['with more than is known', { ...A, permissions: 'bypass' }],
    ['that names no question', { answers: [{ questionIndex: 7, selectedOption: 'a' }], isWhole: true }],
    ['that names no option', { answers: [{ questionIndex: 0, selectedOption: 'zzz' }], isWhole: true }],
  ])('W03: an answer that is %s is 400 and changes nothing', async (_what, body) => {
    const id = await newSet();
    expect((await browser.post(`/api/questions/${id}/answer`, body)).status).toBe(400);
    expect(await statusOf(id)).toBe('pending');
  });

  verifies('W03', '60 writes of a device within a minute, then 429; another device goes on', async () => {
    await using own = await webWorld();
    const [one, two] = [await own.signIn('answer'), await own.signIn('answer')];
    const draft = { questionIndex: 0, answers: [], rejectionReason: '' };
    const { id } = await own.services.questions.create([question({ options: OPTIONS })]);
    for (let write = 1; write <= 60; write += 1)
      expect((await one.put(`/api/questions/${id}/draft`, draft)).status).toBe(200);
    expect((await one.put(`/api/questions/${id}/draft`, draft)).json.code).toBe('TOO_MANY_REQUESTS');
    expect((await two.put(`/api/questions/${id}/draft`, draft)).status).toBe(200);
    expect((await one.get('/api/me')).status).toBe(200);
  });

  verifies('W03', 'a stream whose reader left before its first byte takes up no place', async () => {
    await using own = await webWorld();
    const one = await own.signIn('view');
    const headers = { ...one.headers, host: new URL(own.origin).host };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    // At different moments of opening it.
    for (let stream = 0; stream < 60; stream += 1) {
      const socket = connect(own.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`GET /api/events HTTP/1.1\r\n${lines.join('')}\r\n`);
      setTimeout(() => socket.destroy(), (stream % 12) / 2);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    await vi.waitFor(async () => {
      const stream = await one.events();
      stream.close();
      expect(stream.status).toBe(200);
    }, PATIENT);
  });

  verifies('W03', 'eight streams of a device, then 429', async () => {
    const own = await world.signIn('view');
    const streams = [];
    for (let open = 1; open <= 8; open += 1) streams.push(await own.events());
    expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await own.events()).status).toBe(429);
    streams[0]?.close();
    await vi.waitFor(async () => {
      const again = await own.events();
      streams.push(again);
      expect(again.status).toBe(200);
    }, PATIENT);
    for (const stream of streams) stream.close();
  });
});

describe('revocation and audit', () => {
  verifies(
    'W03',
    'a device that is revoked at the terminal loses its stream and everything else at once',
    async () => {
      const own = await world.signIn('steer');
      const stream = await own.events();
      await vi.waitFor(() => expect(stream.of('state')).toHaveLength(1), PATIENT);
      expect((await world.machine.aside(['web', 'devices', 'revoke', own.id])).code).toBe(0);
      expect((await own.get('/api/me')).status).toBe(401);
      await vi.waitFor(() => expect(stream.isEnded).toBe(true), PATIENT);
      expect(stream.told.at(-1)).toEqual({ name: 'bye', data: { reason: 'revoked' } });
      expect((await browser.get('/api/me')).status).toBe(200);
    },
  );

  verifies(
    'W03',
    'each sign-in, answer, rejection and request is a line of the audit: who, from where, what, and what came of it',
    async () => {
      const own = await world.signIn('answer', 'audited');
      const id = await newSet();
      await own.post(`/api/questions/${id}/answer`, A);
      await own.post(`/api/questions/${id}/reject`, { reason: 'the answer to nothing' });
      const path = join(world.machine.env.HOLDFAST_HOME ?? '', 'state', 'web', 'audit.jsonl');
      const lines = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const facts = lines
        .filter(({ name }) => name === 'audited')
        .map(({ what, device, can, address, id: about, result }) => ({
          what,
          device,
          can,
          address,
          about,
          result,
        }));
      const who = { device: own.id, can: 'answer', address: '127.0.0.1' };
      expect(facts).toEqual([
        { ...who, what: 'sign-in', about: undefined, result: 'done' },
        { ...who, what: 'answer', about: id, result: 'done' },
        { ...who, what: 'reject', about: id, result: 'ALREADY_SETTLED' },
      ]);
      expect(readFileSync(path, 'utf8')).not.toContain('the answer to nothing');
      expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_line, index) => index));
    },
  );
});

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
  });
}

function pids(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // gone meanwhile
  }
}
