// From measurements to verdicts, and from verdicts to a table.

/** `met`, `missed by x`, `too noisy` or `not measured`, with what there is to say about it. */
export function judge(row, measured) {
  const facts = { id: row.id, what: row.what, goal: row.goal };
  if (measured.skipped !== undefined) return { ...facts, verdict: 'not measured', notes: [measured.skipped] };
  return {
    ...facts,
    verdict: verdictOf(measured),
    limit: measured.limit,
    peers: measured.peers,
    checks: measured.checks,
    spread: measured.spread,
    attempts: measured.attempts,
    medianMs: medians(measured.series),
    notes: measured.notes,
  };
}

/** A count that must be zero is a miss however noisy the machine is; nothing else is judged in noise. */
function verdictOf({ checks, isTooNoisy }) {
  const broken = checks.find(({ value, atMost }) => atMost === 0 && value > 0);
  if (broken !== undefined) return `missed: ${broken.value} ${broken.what}`;
  if (isTooNoisy) return 'too noisy';
  if (checks.every(({ atMost }) => atMost === 0)) return 'not measured';
  const worst = Math.max(
    ...checks.filter(({ atMost }) => atMost > 0).map(({ value, atMost }) => value / atMost),
  );
  return worst <= 1 ? 'met' : `missed by ${worst.toFixed(2)}x`;
}

function medians(series = {}) {
  const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  return Object.fromEntries(Object.entries(series).map(([name, values]) => [name, middle(values)]));
}

const HEADINGS = ['goal', 'what', 'ours / limit', 'ours / peer', 'to reach', 'verdict'];

/** The rows as a plain table with their notes below, then the summary. */
export function renderTable(results) {
  const cells = [HEADINGS, ...results.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  const notes = results.flatMap(({ id, what, notes: texts }) => [
    `${id} ${what}`,
    ...texts.map((text) => `  ${text}`),
  ]);
  return [...lines, '', ...notes, '', renderSummary(results)].join('\n');
}

export function renderSummary(results) {
  const count = (start) => results.filter(({ verdict }) => verdict.startsWith(start)).length;
  const missed = new Set(results.filter(({ verdict }) => verdict.startsWith('missed')).map(({ id }) => id));
  const which = missed.size === 0 ? '' : ` (${[...missed].join(', ')})`;
  return `${count('met')} met, ${count('missed')} missed${which}, ${count('too noisy')} too noisy, ${count('not measured')} not measured`;
}

function cellsOf({ id, what, goal, limit, peers = [], verdict, attempts }) {
  const repeats = attempts > 1 ? ` (run ${attempts} of 3)` : '';
  return [id, what, inWords(limit), peers.map(inWords).join(', ') || '-', goal, `${verdict}${repeats}`];
}

function inWords(side) {
  if (side === undefined) return '-';
  const digits = side.ratio < 0.1 ? 3 : side.ratio < 10 ? 2 : 0;
  return `${side.ratio.toFixed(digits)} (${side.name})`;
}
