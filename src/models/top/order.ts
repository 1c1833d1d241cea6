import type { OverviewRow, RowGroup } from '../../overview/index.js';

const RANK: Readonly<Record<RowGroup, number>> = { asks: 0, rests: 1, works: 2, ended: 3 };

/** First what is waiting for the person, then what is working, then what ended. A row moves only when its own state changes. */
export function inOrder(rows: readonly OverviewRow[]): OverviewRow[] {
  return [...rows].sort((a, b) => {
    const byGroup = RANK[a.group] - RANK[b.group];
    if (byGroup !== 0) return byGroup;
    const byTime = a.since < b.since ? -1 : a.since > b.since ? 1 : 0;
    // Asking and working rows: oldest first. Resting and ended rows: newest first.
    if (byTime !== 0) return a.group === 'asks' || a.group === 'works' ? byTime : -byTime;
    return a.key < b.key ? -1 : 1;
  });
}

/** The rows that contain every word of the filter. */
export function matching(rows: readonly OverviewRow[], filter: string): OverviewRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...rows];
  return rows.filter((row) => {
    const text = [
      row.machine,
      row.project,
      row.worktree?.branch,
      row.kind,
      row.id,
      row.title,
      row.agent,
      row.group,
      row.status,
      row.phase,
      row.why,
      row.question?.title,
      row.question?.prompt,
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
