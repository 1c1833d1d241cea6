import { useMemo } from 'preact/hooks';
import { Late, loadAhead } from './frame/late.js';
import { Layout } from './frame/layout.js';
import type { Place as PlaceName } from './frame/place.js';
import { SignIn } from './frame/sign-in.js';
import { Inbox, OneQuestion } from './inbox/inbox.js';
import { whatIsEarly } from './live/early.js';
import { type Page, PageContext, usePage } from './page-context.js';
import { askAhead } from './reader/wanted.js';
import { RunList } from './runs/run-list.js';

/** The whole page: the sign-in, or the current place. */
export function App({ page, code }: { page: Page; code: string | null }) {
  return (
    <PageContext.Provider value={page}>
      {page.store.access.value === 'in' ? (
        <Layout>
          <Place />
        </Layout>
      ) : (
        <SignIn code={code} />
      )}
    </PageContext.Provider>
  );
}

/** Loads what a place needs to show its beginning at once; null if nothing was requested early. */
export function readyFor({ name }: PlaceName): Promise<unknown> | null {
  const early = whatIsEarly();
  return early === undefined || name !== 'transcript' ? null : Promise.all([early, loadAhead(transcript)]);
}

function Place() {
  const { router } = usePage();
  const place = router.place.value;
  switch (place.name) {
    case 'inbox':
      return <Inbox />;
    case 'question':
      return <OneQuestion key={place.id} id={place.id} />;
    case 'runs':
      return <RunList />;
    case 'run':
      return <Late key={place.id} load={runPage} props={{ id: place.id }} />;
    case 'report':
      return <Late key={place.id} load={reportPage} props={{ id: place.id }} />;
    case 'sessions':
      return <Late load={sessionList} props={{}} />;
    case 'transcript':
      return <TranscriptPlace key={place.id} id={place.id} />;
    case 'devices':
      return <Late load={devices} props={{}} />;
    case 'nowhere':
      return (
        <div class="empty">
          <h1>There is nothing here</h1>
          <p>
            <a href="/">Go to the inbox</a>
          </p>
        </div>
      );
  }
}

function TranscriptPlace({ id }: { id: string }) {
  const { store } = usePage();
  const ahead = useMemo(() => askAhead(store, id), [store, id]);
  return <Late load={transcript} props={{ id, ahead }} />;
}

const sessionList = () => import('./sessions/session-list.js').then(({ SessionList }) => SessionList);
const transcript = () => import('./reader/transcript.js').then(({ Transcript }) => Transcript);
const runPage = () => import('./runs/run-page.js').then(({ RunPage }) => RunPage);
/** In the same file as a run: another file that shares code with the first would cost one more request on first load. */
const reportPage = () => import('./runs/run-page.js').then(({ ReportView }) => ReportView);
const devices = () => import('./devices/devices.js').then(({ Devices }) => Devices);
