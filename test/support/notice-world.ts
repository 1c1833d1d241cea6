import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openNoticeDesk, openNotices } from '../../src/app/notices/open-notices.js';
import { createServices, type Services } from '../../src/app/services.js';
import type { NoticeReport, Notices } from '../../src/notices/index.js';
import { FakeClock } from './fake-clock.js';
import { RecordingLog } from './recording-log.js';
import { tempDir } from './temp-dir.js';

/** A home with channels, and time that the test moves. */
export interface NoticeWorld extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly services: Services;
  readonly environment: Readonly<Record<string, string>>;
  /** What was written to the screen. */
  readonly screen: { readonly text: string };
  /** What was written to the log. */
  readonly log: RecordingLog;
  /** A process that sends notices; there may be several. */
  open(options?: { readonly hasScreen?: boolean; readonly env?: Readonly<Record<string, string>> }): Notices;
  list(): readonly NoticeReport[];
  test(channel?: string): ReturnType<ReturnType<typeof openNoticeDesk>['test']>;
  ask(prompt?: string): Promise<string>;
  answer(id: string): Promise<unknown>;
  /** The arguments of each call of a stand-in program, one list per call. */
  calls(program: string): string[][];
  readonly directory: string;
}

export interface NoticeWorldOptions {
  readonly channels: Readonly<Record<string, object>>;
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that only record their calls, and what each prints. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly clock?: FakeClock;
}

export async function noticeWorld(options: NoticeWorldOptions): Promise<NoticeWorld> {
  const dir = await tempDir();
  const home = dir.at('home');
  const programs = dir.at('programs');
  for (const path of [home, programs, dir.at('own', 'config')])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const [name, printed] of Object.entries(options.programs ?? {})) {
    const path = join(programs, name);
    const log = dir.at(`${name}.calls`);
    writeFileSync(
      path,
      `#!/bin/sh\n{ for word in "$@"; do printf '%s\\0' "$word"; done; printf '\\n\\0'; } >> '${log}'\n${printed}\n`,
    );
    chmodSync(path, 0o700);
  }
  const config = { notices: { channels: options.channels, ...options.settings } };
  writeFileSync(dir.at('own', 'config', 'config.json'), JSON.stringify(config));
  const clock = options.clock ?? new FakeClock({ now: '2026-11-15T12:00:00.000Z' });
  const log = new RecordingLog();
  const environment = {
    PATH: `${programs}:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: dir.path,
    HOLDFAST_HOME: dir.at('own'),
    ...options.env,
  };
  const create = (more: Readonly<Record<string, string>> = {}) =>
    createServices({
      environment: { ...environment, ...more },
      workingDirectory: dir.path,
      command: 'a test',
      clock,
      log,
    });
  const services = create();
  const screen = { text: '' };
  const port = {
    write: (text: string) => {
      screen.text += text;
    },
  };
  return {
    clock,
    services,
    environment,
    screen,
    log,
    directory: dir.path,
    open: ({ hasScreen = false, env } = {}) => openNotices(create(env), hasScreen ? { screen: port } : {}),
    list: () => openNoticeDesk(services).list().notices,
    test: (channel) => openNoticeDesk(services, { screen: port }).test(channel, new AbortController().signal),
    async ask(prompt = 'Deploy now?') {
      const options = [{ label: 'Yes' }, { label: 'No' }];
      const asker = { agent: 'claude' };
      const { id } = await services.questions.create([{ title: 'Deploy', prompt, options }], {
        workingDirectory: '/work/shop',
        asker,
      });
      return id;
    },
    answer: (id) => services.questions.answer(id, [{ questionIndex: 0, selectedOption: 'Yes' }]),
    calls(program) {
      const path = dir.at(`${program}.calls`);
      if (!existsSync(path)) return [];
      return readFileSync(path, 'utf8')
        .split('\0\n\0')
        .filter((call) => call !== '')
        .map((call) => call.split('\0'));
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
