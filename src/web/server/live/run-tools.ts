import { journalOf } from '../../../app/overview/open-overview.js';
import type { Services } from '../../../app/services.js';
import { visibleExcerpt } from '../../../foundation/index.js';
import { JournalReader } from '../../../run/index.js';
import type { ReaderItem, ReaderPage, ToolLine } from '../../contract/sessions.js';

/** How many runs are remembered with what their agents did, and how much of each. */
const MAX_RUNS = 4;
const MAX_LINES = 20_000;
const MAX_SHOWN = 500;

interface Known {
  readonly reader: JournalReader;
  lines: Line[];
  /** Calls without a reported result, by their ids. */
  readonly open: Map<string, Line>;
}

type Line = { -readonly [Key in keyof ToolLine]: ToolLine[Key] };

/** What the agents of runs did, one line each, from their journals: read once, then only what is new. */
export class RunTools {
  readonly #services: Services;
  readonly #known = new Map<string, Known>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** A page with what was done before each turn. `since`: the time of the turn before the page; null at the start. */
  place(run: string, page: ReaderPage, since: string | null): ReaderPage {
    const lines = this.#read(run);
    let after = since ?? '';
    const items: ReaderItem[] = [];
    const take = (upTo: string, offset: number, isOpen: boolean) => {
      const done = lines.filter(({ at }) => at > after && at <= upTo).slice(0, MAX_SHOWN);
      if (done.length > 0) items.push({ kind: 'tools', offset, lines: done, isOpen });
    };
    for (const item of page.items) {
      if (item.kind === 'turn' && item.at !== null) {
        if (item.role === 'assistant') take(item.at, item.offset, false);
        after = item.at;
      }
      items.push(item);
    }
    if (page.isEnd && after !== '') take('~', page.end, true);
    return { ...page, items };
  }

  #read(run: string): readonly Line[] {
    const known: Known = this.#known.get(run) ?? {
      reader: new JournalReader(journalOf(this.#services, run)),
      lines: [],
      open: new Map(),
    };
    this.#known.delete(run);
    this.#known.set(run, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_RUNS && oldest !== undefined) this.#known.delete(oldest);
    for (const { at, event } of known.reader.read()) {
      if (event.type !== 'agent') continue;
      const told = event.event;
      if (told.type === 'tool-call') {
        const name = visibleExcerpt(told.name, 60);
        const line = { at, name, title: visibleExcerpt(told.title, 200), isError: false, output: '' };
        known.lines.push(line);
        known.open.set(told.id, line);
      } else if (told.type === 'tool-result') {
        const line = known.open.get(told.id);
        known.open.delete(told.id);
        if (line !== undefined && told.isError) {
          line.isError = true;
          line.output = visibleExcerpt(told.output, 300);
        }
      }
    }
    if (known.lines.length > MAX_LINES) known.lines = known.lines.slice(-MAX_LINES);
    return known.lines;
  }
}
