import type { RunReport } from '../../run/index.js';
import { reportTree } from './document.js';
import { encode, toHtml } from './html.js';
import { outcomeOf } from './outcome.js';
import { FILE_STYLE, REPORT_STYLE } from './style.js';
import { line, momentOf } from './words.js';

/** Even markup that slipped through could neither run nor send anything anywhere. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** A report as a single self-contained file without scripts. */
export function reportFile(report: RunReport, version: string): string {
  const title = `${line(report.plan, 120)}: ${outcomeOf(report).word}`;
  const foot = `Made by holdfast ${version} at ${momentOf(report.madeAt)}. Secrets are blacked out. Times are UTC.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${encode(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${encode(title)}</title>
<style>${FILE_STYLE}${REPORT_STYLE}</style>
</head>
<body>
<main>${toHtml(reportTree(report))}</main>
<footer>${encode(foot)}</footer>
</body>
</html>
`;
}
