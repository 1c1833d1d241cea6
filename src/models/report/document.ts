import type { RunReport } from '../../run/index.js';
import type { Chart } from './charts/chart.js';
import { costChart } from './charts/cost.js';
import { questionsChart } from './charts/questions.js';
import { drawn } from './charts/shapes.js';
import { testsChart } from './charts/tests.js';
import { timelineChart } from './charts/timeline.js';
import { figuresOf } from './figures.js';
import { iterationsPart } from './iteration-parts.js';
import { block, type Child, type Element, element } from './markup.js';
import { onTheWay } from './on-the-way.js';
import { outcomeOf } from './outcome.js';
import {
  filesPart,
  gapsPart,
  goOnPart,
  permissionsPart,
  questionsPart,
  section,
  storyPart,
  tableElement,
  troublePart,
} from './sections.js';
import { baseName, line, momentOf } from './words.js';

/** Everything a report shows; the same in the file and on the page. */
export function reportTree(report: RunReport): Element {
  return element(
    'article',
    { class: 'report' },
    headOf(report),
    element(
      'dl',
      { class: 'numbers-in-short' },
      figuresOf(report).map(({ name, value, note }) =>
        element(
          'div',
          {},
          element('dt', {}, name),
          element(
            'dd',
            {},
            element('strong', {}, value),
            note === null ? null : block('span', 'remark', note),
          ),
        ),
      ),
    ),
    gapsPart(report),
    chartsPart(report),
    iterationsPart(report),
    questionsPart(report),
    permissionsPart(report),
    storyPart(report),
    filesPart(report),
    troublePart(report),
    goOnPart(report),
  );
}

function headOf(report: RunReport): Element {
  const { plan, agent, project, startedAt, preset } = report;
  const { sign, word, tone, why } = outcomeOf(report);
  const way = onTheWay(report);
  const where = [
    ...(project.path === '' ? [] : [`project ${line(baseName(project.path), 80)}`]),
    ...(agent === null ? [] : [`agent ${line(agent, 60)}`]),
    ...(preset === null ? [] : [`phases: ${line(preset, 40)}`]),
    `started ${momentOf(startedAt)}`,
  ];
  return element(
    'header',
    {},
    block('p', 'kicker', 'Run report'),
    element('h1', {}, line(plan === '' ? report.sessionId : plan, 200)),
    block(
      'p',
      `came-to ${tone}`,
      block('span', 'stamp', element('span', { 'aria-hidden': 'true' }, sign), ` ${word}`),
      why === null ? null : block('span', 'why', why),
    ),
    way === null ? null : element('p', {}, way),
    block('p', 'soft', where.join(' · ')),
  );
}

const WIDE_WIDTH = 720;
const NARROW_WIDTH = 330;

function chartsPart(report: RunReport): Child {
  const charts = [
    timelineChart(report),
    testsChart(report),
    costChart(report),
    questionsChart(report),
  ].filter((chart) => chart !== undefined);
  return charts.length === 0 ? null : section('charts', 'How it went', charts.map(figureOf));
}

/** Each picture is drawn twice, for wide and narrow screens, so that its text stays readable on both. */
function figureOf({ name, title, summary, legend, draw, table }: Chart): Element {
  return element(
    'figure',
    { class: `chart ${name}` },
    element('figcaption', {}, element('h3', {}, title), block('p', 'summary', summary)),
    drawn(draw(WIDE_WIDTH), `${title}. ${summary}`, 'wide'),
    drawn(draw(NARROW_WIDTH), `${title}. ${summary}`, 'narrow'),
    block('p', 'legend', legend),
    element(
      'details',
      {},
      element('summary', {}, 'The numbers'),
      tableElement(table, `${title}: the numbers`),
    ),
  );
}
