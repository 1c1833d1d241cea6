import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Layout } from './frame/layout.js';
import { Loading } from './frame/loading.js';
import { SignIn } from './frame/sign-in.js';
import { Inbox, OneQuestion } from './inbox/inbox.js';
import { type Page, PageContext, usePage } from './page-context.js';
import { RunList } from './runs/run-list.js';

/** The whole page: signed in or not, and where one is. */
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
      return <LateRunPage key={place.id} id={place.id} />;
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

/** Most people look at the inbox first: a run is loaded when one is opened. */
function LateRunPage({ id }: { id: string }) {
  const loaded = useSignal<{ readonly View: ComponentType<{ id: string }> } | 'failed' | null>(null);
  useEffect(() => {
    import('./runs/run-page.js').then(
      ({ RunPage }) => {
        loaded.value = { View: RunPage };
      },
      () => {
        loaded.value = 'failed';
      },
    );
  }, [loaded]);
  if (loaded.value === null) return <Loading title="" />;
  if (loaded.value === 'failed')
    return <p class="empty">This part of the page could not be loaded. Reload it when you are online.</p>;
  const { View } = loaded.value;
  return <View id={id} />;
}
