/** The clock of an in-memory vault: it goes on as the machine's does, from wherever it was put. */
export class MovableClock {
  /** How far it is ahead of the machine's clock, in ms. */
  offset_ms = 0

  /** Epoch ms. */
  readonly now = (): number => Date.now() + this.offset_ms

  /** Puts it to a moment, given in epoch ms. */
  set(ms: number): void {
    this.offset_ms = ms - Date.now()
  }
}
