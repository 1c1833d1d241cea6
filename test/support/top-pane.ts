import type { Pane } from './tmux.js';

/** `holdfast top` in a terminal, as a person uses it with many runs: a run is found by the name of its plan. */
export class TopPane {
  readonly #pane: Pane;

  constructor(pane: Pane) {
    this.#pane = pane;
  }

  /** Shows one run alone, in this state. */
  async showAlone(name: string, stands: string): Promise<void> {
    await this.#pane.type(`/${name}-plan`);
    await this.stands(name, stands);
    await this.#pane.press('Enter');
  }

  /** Waits until the run shown alone is in this state. */
  async stands(name: string, stands: string): Promise<void> {
    await this.#pane.until(new RegExp(`^Holdfast: ${name}-plan +1 ${stands}`, 'm'));
  }

  async all(): Promise<void> {
    await this.#pane.press('Escape');
    await this.#pane.until(/^Holdfast {2,}/m);
  }

  async pause(name: string): Promise<void> {
    await this.#pane.until(/^Enter attach · p pause/m);
    await this.#pane.press('p');
    await this.stands(name, 'resting');
  }

  async resume(name: string, stands = 'working'): Promise<void> {
    await this.#pane.until(/^Enter attach · r resume/m);
    await this.#pane.press('r');
    await this.stands(name, stands);
  }

  /** Attaches to a working run, and leaves it. */
  async attach(name: string): Promise<void> {
    await this.#pane.press('Enter');
    await this.#pane.until(/^q leave · p pause/m);
    await this.#pane.press('q');
    await this.stands(name, 'working');
  }

  /** Chooses the first option of the question of a run without an owner. */
  async answer(name: string): Promise<void> {
    await this.#pane.until(/^Enter answer/m);
    await this.#pane.press('a');
    await this.#pane.until('Question 1 of 1: Numbers');
    await this.#pane.type('1');
    await this.#pane.press('Enter');
    await this.#pane.until('Review');
    await this.#pane.press('Enter');
    await this.stands(name, 'resting');
  }
}
