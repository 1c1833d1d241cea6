/** The style of a report, in its file and on the page. Nothing depends on colour alone. */
export const REPORT_STYLE = `
.report {
  --r-card: light-dark(#ffffff, #1c1f23);
  --r-line: light-dark(#dedbd3, #363b42);
  --r-edge: light-dark(#8b877c, #7a818b);
  --r-ink: light-dark(#1d1f22, #eceef0);
  --r-soft: light-dark(#595c61, #a9b0b8);
  --r-work: light-dark(#0b5d63, #6fd0cb);
  --r-inside: light-dark(#ffffff, #08282a);
  --r-good: light-dark(#20683a, #79d094);
  --r-bad: light-dark(#a8261f, #ff9c92);
  --r-rests: light-dark(#85500a, #efbc65);
  --r-ground: light-dark(#ebe8e1, #2a2f35);
  --r-mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  container-type: inline-size;
  color: var(--r-ink);
  font-size: 0.9375rem;
  line-height: 1.55;
  overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums;
}
.report h1, .report h2, .report h3, .report p, .report dl, .report dd, .report ul, .report ol, .report figure, .report pre { margin: 0; padding: 0; }
.report ul, .report ol { list-style: none; }
.report h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.015em; margin: 0.15rem 0 0.7rem; }
.report h2 { font-size: 1.1875rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; margin-bottom: 0.9rem; }
.report h3 { font-size: 0.9375rem; line-height: 1.4; font-weight: 600; }
.report .kicker { color: var(--r-soft); font-size: 0.8125rem; letter-spacing: 0.02em; }
.report .soft { color: var(--r-soft); font-size: 0.8125rem; }
.report code, .report pre { font-family: var(--r-mono); font-size: 0.92em; font-variant-ligatures: none; }
.report pre { white-space: pre-wrap; background: var(--r-ground); border-radius: 8px; padding: 0.6rem 0.8rem; margin-top: 0.35rem; }
.report .part { margin-top: 2.75rem; }
.report .came-to { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.4rem 0.75rem; margin-bottom: 0.5rem; }
.report .stamp { font-weight: 650; border: 1.5px solid currentColor; border-radius: 99px; padding: 0.1rem 0.7rem; white-space: nowrap; }
.report .is-good .stamp { color: var(--r-good); }
.report .is-bad .stamp { color: var(--r-bad); }
.report .is-resting .stamp { color: var(--r-rests); }
.report .is-working .stamp { color: var(--r-work); }
.report .numbers-in-short { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1px; margin-top: 1.75rem; background: var(--r-card); border: 1px solid var(--r-line); border-radius: 12px; overflow: hidden; }
.report .numbers-in-short > div { background: var(--r-card); box-shadow: 0 0 0 1px var(--r-line); padding: 0.8rem 1rem 0.9rem; }
.report .numbers-in-short dt { color: var(--r-soft); font-size: 0.8125rem; }
.report .numbers-in-short strong { display: block; font-size: 1.3125rem; line-height: 1.35; font-weight: 650; letter-spacing: -0.01em; }
.report .numbers-in-short .remark { display: block; color: var(--r-soft); font-size: 0.8125rem; line-height: 1.4; }
.report .gaps { border-left: 3px solid var(--r-rests); padding-left: 1rem; }
.report .gaps h2 { font-size: 0.9375rem; margin-bottom: 0.3rem; }
.report .gaps li + li { margin-top: 0.2rem; }
.report .chart { background: var(--r-card); border: 1px solid var(--r-line); border-radius: 12px; padding: 1rem 1.125rem 0.5rem; }
.report .chart + .chart { margin-top: 0.9rem; }
.report .chart .summary { color: var(--r-soft); font-size: 0.875rem; }
.report .chart svg { display: block; width: 100%; height: auto; margin: 0.75rem 0 0.25rem; overflow: hidden; }
.report .chart svg.narrow { display: none; }
.report .chart .legend { color: var(--r-soft); font-size: 0.75rem; line-height: 1.45; max-width: 46rem; }
.report svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; fill: var(--r-ink); }
.report svg text.soft { fill: var(--r-soft); font-size: 11px; }
.report svg text.strong { font-weight: 650; }
.report svg text.inside { fill: var(--r-inside); font-size: 10px; }
.report svg .solid { fill: var(--r-work); }
.report svg .hollow { fill: var(--r-card); stroke: var(--r-bad); stroke-width: 1.25; }
.report svg .waiting { fill: var(--r-ground); stroke: var(--r-rests); stroke-width: 1.25; stroke-dasharray: 3 2; }
.report svg .band { fill: var(--r-ground); }
.report svg .axis { stroke: var(--r-edge); stroke-width: 1; }
.report svg .limit { stroke: var(--r-rests); stroke-width: 1.5; stroke-dasharray: 6 4; }
.report svg .curve { fill: none; stroke: var(--r-work); stroke-width: 2; stroke-linejoin: round; }
.report svg .sign { fill: var(--r-card); stroke: var(--r-ink); stroke-width: 1.5; stroke-linejoin: round; }
.report svg .cross, .report svg .arrow { fill: none; stroke-width: 2; }
.report svg .cross { stroke: var(--r-bad); }
.report svg .diamond { fill: var(--r-bad); stroke: var(--r-bad); }
.report svg .play { fill: var(--r-good); stroke: var(--r-good); }
.report details > summary { cursor: pointer; min-height: 44px; display: flex; align-items: center; gap: 0.6rem; list-style: none; }
.report details > summary::-webkit-details-marker { display: none; }
.report details > summary::before { content: ""; flex: none; width: 0.45rem; height: 0.45rem; border: solid var(--r-soft); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); margin: 0 0.15rem; }
.report details[open] > summary::before { transform: rotate(45deg) translate(-1px, -1px); }
.report summary:focus-visible, .report .scrolls:focus-visible { outline: 3px solid var(--r-work); outline-offset: 2px; border-radius: 6px; }
.report .chart summary { color: var(--r-soft); font-size: 0.8125rem; }
.report .scrolls { overflow-x: auto; contain: inline-size; margin: 0.1rem 0 0.75rem; }
.report table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; line-height: 1.45; }
.report th, .report td { text-align: left; vertical-align: baseline; padding: 0.35rem 1.25rem 0.35rem 0; border-top: 1px solid var(--r-line); font-weight: 400; min-width: 3.5rem; overflow-wrap: break-word; }
.report thead th { border-top: 0; color: var(--r-soft); font-weight: 600; white-space: nowrap; }
.report th.number, .report td.number { text-align: right; white-space: nowrap; }
.report th:last-child, .report td:last-child { padding-right: 0; }
.report td.code, .report th.code { min-width: 11rem; overflow-wrap: anywhere; }
.report .iteration { border: 1px solid var(--r-line); background: var(--r-card); padding: 0 1rem; margin-top: -1px; }
.report .iteration:first-of-type { border-radius: 12px 12px 0 0; }
.report .iteration:last-of-type { border-radius: 0 0 12px 12px; }
.report .iteration:first-of-type:last-of-type { border-radius: 12px; }
.report .iteration > summary { display: grid; grid-template-columns: auto 1.1rem 8.5rem minmax(0, 1fr) auto; padding: 0.45rem 0; }
.report .iteration .sign { font-weight: 650; text-align: center; }
.report .iteration.passed .sign { color: var(--r-good); }
.report .iteration.cut-short .sign, .report .iteration.error .sign { color: var(--r-bad); }
.report .iteration .name { font-weight: 600; }
.report .iteration .verdict { color: var(--r-soft); }
.report .iteration .short { color: var(--r-soft); font-size: 0.8125rem; text-align: right; }
.report .iteration > .facts, .report .iteration > h3, .report .iteration > .quoted { margin-left: 2.55rem; }
.report .iteration > :last-child { margin-bottom: 1rem; }
.report .iteration > h3 { margin-top: 0.75rem; }
.report .facts { display: grid; gap: 0.3rem; font-size: 0.875rem; }
.report .facts > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: 1rem; }
.report .facts dt { color: var(--r-soft); }
.report .quoted { white-space: pre-wrap; border-left: 3px solid var(--r-line); padding-left: 0.8rem; margin-top: 0.4rem; font-size: 0.875rem; }
.report .asked { border: 1px solid var(--r-line); background: var(--r-card); border-radius: 12px; padding: 0.85rem 1rem 0.9rem; }
.report .asked + .asked { margin-top: 0.75rem; }
.report .asked .answer { margin-top: 0.6rem; white-space: pre-wrap; }
.report .story li { display: grid; grid-template-columns: 12.5rem 1.25rem minmax(0, 1fr); gap: 0.25rem; padding: 0.25rem 0; border-top: 1px solid var(--r-line); }
.report .story li:first-child { border-top: 0; }
.report .story .sign { text-align: center; font-weight: 650; }
.report time { color: var(--r-soft); font-size: 0.8125rem; }
.report .errors li { padding: 0.25rem 0; }
.report .errors h3, .report .go-on h3 { margin-top: 1rem; }
@container (max-width: 600px) {
  .report h1 { font-size: 1.4375rem; }
  .report .numbers-in-short { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .report .chart { padding: 0.85rem 0.8rem 0.35rem; }
  .report .chart svg.wide { display: none; }
  .report .chart svg.narrow { display: block; }
  .report .iteration { padding: 0 0.75rem; }
  .report .iteration > summary { grid-template-columns: auto 1.1rem minmax(0, 1fr); row-gap: 0.1rem; }
  .report .iteration .verdict, .report .iteration .short { grid-column: 3; text-align: left; }
  .report .iteration > .facts, .report .iteration > h3, .report .iteration > .quoted { margin-left: 0; }
  .report .facts > div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .report .story li { grid-template-columns: 1.25rem minmax(0, 1fr); }
  .report .story time { grid-column: 2; }
  .report .story .sign { grid-column: 1; grid-row: 1 / span 2; }
}
@media print {
  .report { font-size: 9.5pt; }
  .report .part { margin-top: 1.5rem; }
  .report .chart, .report .asked, .report .iteration, .report .story li, .report tr { break-inside: avoid; }
  .report h2, .report h3 { break-after: avoid; }
  .report .chart details { display: none; }
  .report details::details-content { content-visibility: visible; display: block; block-size: auto; }
  .report details > summary::before { visibility: hidden; width: 0; margin: 0; border: 0; }
  .report .scrolls { overflow: visible; contain: none; }
  .report svg * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

/** Only for a standalone file: the paper around the report. */
export const FILE_STYLE = `
:root { color-scheme: light dark; background: light-dark(#f6f5f2, #131518); }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; padding: 2.5rem 1.25rem 3rem; font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
main, body > footer { max-width: 56rem; margin: 0 auto; }
body > footer { margin-top: 2.5rem; color: light-dark(#595c61, #a9b0b8); font-size: 0.8125rem; }
@media (max-width: 640px) { body { padding: 1.25rem 0.9rem 2rem; } }
@media print { :root { color-scheme: light; background: none; } body { padding: 0; } main, body > footer { max-width: none; } }
`;
