import {
  BAR,
  isHoldfastError,
  messageOf,
  visibleExcerpt,
  visibleLabel,
  visibleLine,
} from '../../foundation/index.js';
import {
  type AnswerInput,
  askerLine,
  type Question,
  type QuestionOutcome,
  type QuestionSessions,
  type QuestionView,
} from '../../sessions/question/index.js';
import type { Paint } from './answer-lines.js';
import { optionRows, questionRows } from './card.js';
import type { Input, LineInput } from './line-input.js';
import { type Choice, describeChoice, parseReply } from './reply.js';

/** Where a question is shown. */
export interface InPlaceScreen {
  say(text: string): void;
  note(text: string): void;
  warn(text: string): void;
  /** Writes rows without wrapping them. */
  rows(rows: readonly string[]): void;
  asking(isAsking: boolean): void;
}

export interface InPlaceOptions {
  readonly questions: QuestionSessions;
  readonly input: LineInput;
  readonly screen: InPlaceScreen;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly paint: Paint | undefined;
  /** Called on Ctrl+C while a question is open. */
  readonly onInterrupt: () => void;
}

/**
 * Lets the person answer the agent's questions within the chat, during a turn. All of a question is shown before it can be
 * answered; an answer from elsewhere or the end of the turn withdraws it.
 */
export class InPlaceAnswers {
  readonly #options: InPlaceOptions;
  readonly #waiting: QuestionView[] = [];
  #shown: string | undefined;
  #asking: Promise<void> | undefined;
  #over: AbortController | undefined;

  constructor(options: InPlaceOptions) {
    this.#options = options;
  }

  /** The question that is on the screen. */
  get shown(): string | undefined {
    return this.#shown;
  }

  /** Adds a question of the agent. */
  add(view: QuestionView): void {
    if (view.outcome.status !== 'pending') return;
    this.#waiting.push(view);
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
  }

  /** The turn is over, so no answer is awaited any more. Resolves when no question is open. */
  async withdraw(): Promise<void> {
    this.#waiting.length = 0;
    this.#over?.abort();
    await this.#asking;
  }

  async #askAll(): Promise<void> {
    const { screen } = this.#options;
    for (let view = this.#waiting.shift(); view !== undefined; view = this.#waiting.shift()) {
      screen.asking(true);
      this.#shown = view.id;
      try {
        await this.#ask(view);
      } catch (error) {
        screen.warn(visibleLine(messageOf(error)));
        if (!isHoldfastError(error)) throw error;
      } finally {
        this.#shown = undefined;
        screen.asking(false);
      }
    }
  }

  async #ask(view: QuestionView): Promise<void> {
    const { questions, screen } = this.#options;
    const over = new AbortController();
    this.#over = over;
    let outcome: QuestionOutcome | undefined;
    const elsewhere = questions.wait(view.id, { signal: over.signal }).then(
      (settled) => {
        outcome = settled;
        over.abort();
      },
      // It is gone, or no answer is awaited any more; either way there is nothing to answer.
      () => over.abort(),
    );
    try {
      const reply = await this.#dialogue(view, over.signal);
      if (reply === 'withdrawn' && outcome !== undefined) screen.note(describeElsewhere(view, outcome));
      else if (typeof reply === 'object') await this.#give(view, reply);
    } finally {
      over.abort();
      await elsewhere;
    }
  }

  /** The person's reply, once they have seen everything. */
  async #dialogue(view: QuestionView, signal: AbortSignal): Promise<Reply> {
    const { screen } = this.#options;
    screen.note(askerLine(view));
    const choices: Choice[] = [];
    while (choices.length < view.questions.length) {
      const index = choices.length;
      const question = view.questions[index] as Question;
      if (view.questions.length > 1) screen.note(`Question ${index + 1} of ${view.questions.length}`);
      const reply = await this.#askOne(question, view, signal, index > 0);
      if (reply === 'back') choices.pop();
      else if (typeof reply === 'object' && 'choice' in reply) choices.push(reply.choice);
      else return reply;
      if (choices.length < view.questions.length || choices.length === 1) continue;
      const sure = await this.#confirm(view, choices, signal);
      if (sure === 'back') choices.pop();
      else if (sure !== 'yes') return sure;
    }
    return { choices };
  }

  async #askOne(
    question: Question,
    view: QuestionView,
    signal: AbortSignal,
    hasBefore: boolean,
  ): Promise<Reply | 'back' | { readonly choice: Choice }> {
    const { screen, size } = this.#options;
    const early = await this.#showAll(question, signal);
    if (early !== 'shown') return this.#withReason(early, view, signal);
    screen.rows(optionRows(question, size().columns));
    screen.note(
      `${question.multiSelect === true ? 'Numbers with commas, or 0 for none' : 'A number'}; o and your own words; r rejects;${hasBefore ? ' b goes back;' : ''} l leaves it for the inbox. Ctrl+C cancels the turn.`,
    );
    for (;;) {
      const line = await this.#line('answer> ', signal);
      if (typeof line !== 'object') return line;
      const reply = parseReply(question, line.text);
      if (reply === 'own-words') {
        const words = await this.#line('your own words> ', signal);
        if (typeof words !== 'object') return words;
        return { choice: { labels: [], ownWords: words.text } };
      }
      if (reply === 'reject' || reply === 'later') return this.#withReason(reply, view, signal);
      if (reply === 'back') {
        if (hasBefore) return reply;
        continue;
      }
      if ('fault' in reply) screen.warn(reply.fault);
      else return { choice: reply };
    }
  }

  /** Shows all of a question, one screen at a time; until the end it can only be rejected or left. */
  async #showAll(question: Question, signal: AbortSignal): Promise<Reply | 'shown' | 'reject'> {
    const { screen, size, paint } = this.#options;
    const { columns, rows: height } = size();
    const rows = questionRows(question, columns, paint);
    const pageRows = Math.max(4, height - 4 - optionRows(question, columns).length);
    for (let shown = 0; ; ) {
      screen.rows(rows.slice(shown, shown + pageRows));
      shown += pageRows;
      if (shown >= rows.length) return 'shown';
      const rest = rows.length - shown;
      screen.note(
        `${BAR}(${rest} more rows) Enter shows more, a shows all; r rejects, l leaves it for the inbox.`,
      );
      const next = await this.#more(signal);
      if (next === 'all') {
        screen.rows(rows.slice(shown));
        return 'shown';
      }
      if (next !== 'more') return next;
    }
  }

  async #more(signal: AbortSignal): Promise<Reply | 'more' | 'all' | 'reject'> {
    for (;;) {
      const line = await this.#line('more> ', signal, true);
      if (typeof line !== 'object') return line;
      const typed = line.text.trim();
      if (typed === '') return 'more';
      if (typed === 'a') return 'all';
      if (typed === 'r') return 'reject';
      if (typed === 'l') return 'later';
      this.#options.screen.warn('There is more to read before it can be answered.');
    }
  }

  async #confirm(
    view: QuestionView,
    choices: readonly Choice[],
    signal: AbortSignal,
  ): Promise<Reply | 'yes' | 'back'> {
    const { screen } = this.#options;
    for (const [index, question] of view.questions.entries())
      screen.say(`  ${visibleLabel(question.title)}: ${describeChoice(choices[index])}`);
    const line = await this.#line('Enter sends, b goes back> ', signal, true);
    if (typeof line !== 'object') return line;
    return line.text.trim() === 'b' ? 'back' : 'yes';
  }

  async #withReason(reply: Reply | 'reject', view: QuestionView, signal: AbortSignal): Promise<Reply> {
    if (reply === 'later')
      this.#options.screen.note(
        `It is waiting in the inbox: holdfast answer ${view.id.slice(0, 8)}, or holdfast inbox.`,
      );
    if (reply !== 'reject') return reply;
    const why = await this.#line('why (Enter for no reason)> ', signal, true);
    return typeof why === 'object' ? { reason: why.text.trim() === '' ? null : why.text } : why;
  }

  async #line(
    prompt: string,
    signal: AbortSignal,
    canBeEmpty = false,
  ): Promise<Extract<Input, { type: 'message' }> | 'withdrawn' | 'left'> {
    const input = await this.#options.input.askAside(prompt, { signal, canBeEmpty });
    if (input.type === 'message') return input;
    if (input.type === 'interrupt') this.#options.onInterrupt();
    return input.type === 'withdrawn' ? 'withdrawn' : 'left';
  }

  async #give({ id, questions: asked }: QuestionView, reply: Extract<Reply, object>): Promise<void> {
    const { questions, screen } = this.#options;
    if ('reason' in reply) {
      await questions.reject(id, reply.reason);
      screen.note('Rejected.');
      return;
    }
    await questions.answer(
      id,
      asked.map((question, questionIndex) => answerOf(question, questionIndex, reply.choices[questionIndex])),
    );
    screen.note(`Answered: ${reply.choices.map((choice) => describeChoice(choice)).join('; ')}`);
  }
}

/** `left`: the person left with Ctrl+C or Ctrl+D. */
type Reply =
  | { readonly choices: readonly Choice[] }
  | { readonly reason: string | null }
  | 'later'
  | 'left'
  | 'withdrawn';

function answerOf(question: Question, questionIndex: number, choice: Choice | undefined): AnswerInput {
  const { labels = [], ownWords } = choice ?? {};
  const own = ownWords === undefined ? {} : { customText: ownWords };
  if (question.multiSelect === true) return { questionIndex, selectedOptions: [...labels], ...own };
  const [label] = labels;
  return { questionIndex, ...(label === undefined ? {} : { selectedOption: label }), ...own };
}

function describeElsewhere({ questions }: QuestionView, outcome: QuestionOutcome): string {
  if (outcome.status === 'rejected') return 'It was rejected elsewhere.';
  if (outcome.status !== 'completed') return 'Nobody is waiting for the answer any more.';
  const answers = questions.map((_, index) => {
    const { selectedOption, selectedOptions, customText } = outcome.answers[index] ?? {};
    return describeChoice({
      labels: selectedOptions ?? (selectedOption === undefined ? [] : [selectedOption]),
      ...(customText === undefined ? {} : { ownWords: customText }),
    });
  });
  return `Answered elsewhere: ${visibleExcerpt(answers.join('; '), 500)}`;
}
