/** The clock of an in-memory vault: it goes on as the machine's does, from wherever it was put. */
export class MovableClock {
  readonly #machine: () => number
  /** How far it is ahead of the machine's clock, in ms. */
  offset_ms = 0

  constructor(machine: () => number) {
    this.#machine = machine
  }

  /** Epoch ms. */
  readonly now = (): number => this.#machine() + this.offset_ms

  /** Puts it to a moment, given in epoch ms. */
  set(ms: number): void {
    this.offset_ms = ms - this.#machine()
  }
}
