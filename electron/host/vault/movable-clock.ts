/** The clock of an in-memory vault. It runs like the machine's clock, but can be set to any time. */
export class MovableClock {
  readonly #machine: () => number
  /** How far this clock is ahead of the machine's clock, in ms; negative if it is behind. */
  offset_ms = 0

  constructor(machine: () => number) {
    this.#machine = machine
  }

  readonly now = (): number => this.#machine() + this.offset_ms

  setTime(ms: number): void {
    this.offset_ms = ms - this.#machine()
  }
}
