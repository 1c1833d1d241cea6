import { visibleExcerpt } from '../../../foundation/text/visible-text.js';
import type { BrowsedSession } from '../../contract/sessions.js';
import { Age } from '../frame/age.js';
import { plainWords } from '../prompt-blocks.js';

const SHAPES = { question: '?', conversation: '❝', loop: '↻', change: 'Δ', process: '⚙' } as const;
const NAMES = {
  question: 'Question',
  conversation: 'Conversation',
  loop: 'Run',
  change: 'Change',
  process: 'Process',
} as const;

/** One session: what it is, whose it is, where, and how it stands. */
export function SessionRow({ session, onAsk }: { session: BrowsedSession; onAsk: () => void }) {
  const { kind, id, title, status, agent, lastActivity, isDamaged, isLive, isHidden } = session;
  const project = session.repositoryName ?? session.project?.split('/').at(-1);
  const href = hrefOf(session);
  const name = `${isHidden ? 'Run’s conversation' : NAMES[kind]} ${visibleExcerpt(shortId(id), 24)}`;
  return (
    <div class="session row" data-stop tabIndex={-1}>
      <span class="kind" aria-hidden="true">
        {SHAPES[kind]}
      </span>
      <div class="session-what">
        {href === null ? <span class="session-name">{name}</span> : <a href={href}>{name}</a>}
        <p class="hint">
          {[agent, project, kind === 'question' ? plainWords(title) : title]
            .filter((word): word is string => typeof word === 'string' && word !== '')
            .map((word) => visibleExcerpt(word.replaceAll(/\s+/g, ' '), 80))
            .join(' · ')}
        </p>
      </div>
      <p class="session-state hint">
        {isDamaged ? (
          <span class="fault">✗ damaged</span>
        ) : (
          `${isLive ? '● ' : ''}${visibleExcerpt(status, 30)}`
        )}
        {lastActivity === null ? null : (
          <>
            {' '}
            <Age at={lastActivity} />
          </>
        )}
      </p>
      <button type="button" class="icon" aria-label={`More about ${name}`} onClick={onAsk}>
        ⋯
      </button>
    </div>
  );
}

/** Where the session can be read, for kinds that have a place; other kinds only have their facts. */
function hrefOf({ kind, id }: BrowsedSession): string | null {
  if (kind === 'conversation') return `/s/${id}`;
  if (kind === 'question') return `/q/${id}`;
  return kind === 'loop' && /^[\w-]{1,64}$/.test(id) ? `/r/${id}` : null;
}

function shortId(id: string): string {
  const bare = id.replace(/^(run-|ses_)/, '');
  return /^[0-9a-f]{8}-/.test(bare) ? bare.slice(0, 8) : bare;
}
