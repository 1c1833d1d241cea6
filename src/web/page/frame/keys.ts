import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Kept } from './kept.js';
import type { Router } from './router.js';

const ITEM = 'holdfast.letter-keys';

/** The keys of the page, as the help lists them. */
export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['g i, g r, g s', 'go to the inbox, to the runs, to the sessions'],
  ['j, k', 'next or previous card, run or turn'],
  ['1 … 9', 'choose an option of the focused card'],
  ['x', 'choose or clear the focused option'],
  ['o', 'write your own words'],
  ['Enter, Ctrl+Enter', 'answer'],
  ['l', 'later'],
  ['r', 'reject'],
  ['.', 'open the run behind the card'],
  ['/', 'filter a list, find in a transcript'],
  ['?', 'this help'],
  ['Esc', 'back'],
];

/** Single-letter keys: they work only while no text is being typed, and can be switched off. */
export class LetterKeys {
  readonly #kept: Kept;
  readonly #router: Router;
  readonly #isOn = signal(true);
  readonly isHelpShown: Signal<boolean> = signal(false);
  #isGoing = false;

  constructor(kept: Kept, router: Router) {
    this.#kept = kept;
    this.#router = router;
    this.#isOn.value = kept.text(ITEM) !== 'off';
  }

  get isOn(): ReadonlySignal<boolean> {
    return this.#isOn;
  }

  switch(isOn: boolean): void {
    this.#isOn.value = isOn;
    this.#kept.keepText(ITEM, isOn ? null : 'off');
  }

  start(): void {
    document.addEventListener('keydown', (event) => this.#press(event));
  }

  #press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.metaKey) return;
    const isInDialog = document.querySelector('dialog[open]') !== null;
    if (isInDialog) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.key === 'Enter') {
      if (event.ctrlKey || isQuiet(target)) pressIn(target, 'answer', event);
    } else if (event.key === 'Escape') this.#escape(target);
    else if (this.#isOn.value && !event.ctrlKey && !isTyping(target)) this.#pressLetter(event, target);
  }

  #escape(target: Element): void {
    const stop = target.closest<HTMLElement>('[data-stop]');
    if (!isTyping(target)) this.#router.back();
    else if (stop !== null) stop.focus();
    else (target as HTMLElement).blur();
  }

  #pressLetter(event: KeyboardEvent, target: Element): void {
    const { key } = event;
    const isGoing = this.#isGoing;
    this.#isGoing = key === 'g';
    if (isGoing && Object.hasOwn(PLACES, key)) this.#router.go(PLACES[key] ?? '/');
    else if (key === 'j' || key === 'k') moveFocus(target, key === 'j' ? 1 : -1, event);
    else if (key === '?') this.#help(event);
    else if (key === '/') focusFirst(document.body, '[data-key="filter"]', event);
    else if (key === 'o') focusFirst(cardOf(target), '[data-key="other"]', event);
    else if (key === 'x' && target instanceof HTMLInputElement) target.click();
    else if (/^[1-9]$/.test(key)) chooseOption(target, Number(key) - 1, event);
    else if (Object.hasOwn(BUTTONS, key)) pressIn(target, BUTTONS[key] ?? '', event);
  }

  #help(event: Event): void {
    this.isHelpShown.value = true;
    event.preventDefault();
  }
}

/** Where a letter after `g` leads. */
const PLACES: Readonly<Record<string, string>> = { i: '/', r: '/runs', s: '/s' };

/** The buttons of a card by key. */
const BUTTONS: Readonly<Record<string, string>> = { l: 'later', r: 'reject', '.': 'context' };

function isTyping(target: Element): boolean {
  return target.matches('textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])');
}

/** Whether Enter has no meaning of its own on this element. */
function isQuiet(target: Element): boolean {
  return !isTyping(target) && !target.matches('button, a, summary');
}

function cardOf(target: Element): Element | null {
  return target.closest('[data-card]');
}

function pressIn(target: Element, name: string, event: Event): void {
  const button = cardOf(target)?.querySelector<HTMLElement>(`[data-key="${name}"]`);
  if (button == null) return;
  event.preventDefault();
  button.click();
}

function focusFirst(within: Element | null, selector: string, event: Event): void {
  const found = within?.querySelector<HTMLElement>(selector);
  if (found == null) return;
  event.preventDefault();
  found.focus();
}

/** Chooses an option; an option that would send at once only gets the focus. */
function chooseOption(target: Element, index: number, event: Event): void {
  const group = target.closest('fieldset') ?? cardOf(target);
  const option = group?.querySelectorAll<HTMLElement>('[data-key="option"]')[index];
  if (option === undefined) return;
  event.preventDefault();
  option.focus();
  if (option instanceof HTMLInputElement) option.click();
}

function moveFocus(target: Element, by: number, event: Event): void {
  const stops = [...document.querySelectorAll<HTMLElement>('[data-stop]')];
  if (stops.length === 0) return;
  const here = stops.findIndex((stop) => stop.contains(target));
  const next = here === -1 ? (by > 0 ? 0 : stops.length - 1) : here + by;
  const stop = stops[Math.max(0, Math.min(stops.length - 1, next))];
  event.preventDefault();
  stop?.focus();
  stop?.scrollIntoView({ block: 'nearest' });
}
