import type { Cell, Mark } from './marks.ts'

/** A step of the recorded program. */
export type RecordedStep = {
  readonly cells: readonly Cell[]
  /** The tokens that it creates. Each has an event. */
  readonly created: number
  readonly trace: string
}

/** What the recorded program was told until the power cut. */
export class AnswerModel {
  /** The values by cell that were answered. */
  readonly known = new Map<string, string | null>()
  /** The steps that have begun, but were not answered. */
  readonly inFlight = new Map<number, RecordedStep>()
  /** The answered steps that changed something and have a log record. */
  readonly recorded: RecordedStep[] = []
  /** The traces of the reads that were answered before a write began that was answered too. */
  readonly safeReads: string[] = []
  /** The tokens whose creation a webhook received. */
  readonly received = new Set<string>()
  /** The answered reads, with the step that began after them. */
  #reads: { readonly trace: string; readonly before: number }[] = []
  #started = 0

  addMark(mark: Mark): void {
    if ('received' in mark) this.received.add(mark.received)
    else if ('refused' in mark) this.inFlight.delete(mark.refused)
    else if ('begins' in mark) this.#startStep(mark.begins, mark.cells)
    else this.#finishStep(mark)
  }

  #startStep(number: number, cells: readonly Cell[]): void {
    const created = cells.filter(
      ([key, value]) => key.startsWith('token ') && value !== null && !this.known.has(key),
    )
    this.#started = number
    this.inFlight.set(number, { cells, created: created.length, trace: `step-${number}` })
  }

  #finishStep({ answered, cells = [], isRecorded }: Extract<Mark, { answered: number }>): void {
    const step = this.inFlight.get(answered)
    if (!step) return
    this.inFlight.delete(answered)
    const changes = [...step.cells, ...cells]
    for (const [key, value] of changes) this.known.set(key, value)
    if (!isRecorded) return
    if (changes.length === 0) {
      this.#reads.push({ trace: step.trace, before: this.#started + 1 })
      return
    }
    this.recorded.push(step)
    // The transaction of a write stores the records of all reads before it.
    const isSafe = ({ before }: { before: number }) => before <= answered
    this.safeReads.push(...this.#reads.filter(isSafe).map(({ trace }) => trace))
    this.#reads = this.#reads.filter((read) => !isSafe(read))
  }

  /** The passphrases that may open the vault: the answered one, and those of changes in flight. */
  get passphrases(): string[] {
    return this.getPossible('passphrase').filter((each) => each !== null)
  }

  /** Returns the values that a cell may have, the answered one first. */
  getPossible(key: string): (string | null)[] {
    const maybe = [...this.inFlight.values()].flatMap(({ cells }) => cells.filter(([each]) => each === key))
    return [this.known.get(key) ?? null, ...maybe.map(([, value]) => value)]
  }

  /** Returns the names of all cells that begin with a word. */
  listNames(kind: string): string[] {
    const keys = [
      ...this.known.keys(),
      ...[...this.inFlight.values()].flatMap(({ cells }) => cells.map(([key]) => key)),
    ]
    return [...new Set(keys)]
      .filter((key) => key.startsWith(`${kind} `))
      .map((key) => key.slice(kind.length + 1))
  }
}
