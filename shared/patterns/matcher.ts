import type { SpendSteps } from './code-set.ts'
import type { PatternProgram, PatternStep } from './program.ts'

// SECURITY: expressions of pages and of callers run here. The platform's own engine may backtrack for ever.
// This one never tries the same step twice at one position after it has failed, and reports its work in steps
//

/** The steps between two reports of the work. */
const REPORTED_STEPS = 4096
/** The positions that share a chunk of memory about what has failed. */
const CHUNK_BITS = 10
const FRAME = 5

/** Remembers which steps have failed at which positions. */
class FailedSteps {
  readonly #words: number
  readonly #spend: SpendSteps
  readonly #chunks: (Int32Array | undefined)[] = []

  constructor(size: number, spend: SpendSteps) {
    this.#words = size << (CHUNK_BITS - 5)
    this.#spend = spend
  }

  /** Marks a step as failed at a position, unless it succeeds. Returns whether it was marked before. */
  markFailed(bit: number, at: number): boolean {
    const words = this.#chunks[at >> CHUNK_BITS] ?? this.#createChunk(at >> CHUNK_BITS)
    const word = (bit << (CHUNK_BITS - 5)) + ((at & ((1 << CHUNK_BITS) - 1)) >> 5)
    const before = words[word] ?? 0
    words[word] = before | (1 << (at & 31))
    return (before & (1 << (at & 31))) !== 0
  }

  hasFailed(bit: number, at: number): boolean {
    const words = this.#chunks[at >> CHUNK_BITS]
    const word = (bit << (CHUNK_BITS - 5)) + ((at & ((1 << CHUNK_BITS) - 1)) >> 5)
    return words !== undefined && ((words[word] ?? 0) & (1 << (at & 31))) !== 0
  }

  /** Forgets what is marked at a position. */
  clearPosition(at: number): void {
    const words = this.#chunks[at >> CHUNK_BITS]
    if (!words) return
    const first = (at & ((1 << CHUNK_BITS) - 1)) >> 5
    for (let word = first; word < words.length; word += 1 << (CHUNK_BITS - 5))
      words[word] = (words[word] ?? 0) & ~(1 << (at & 31))
  }

  #createChunk(index: number): Int32Array {
    this.#spend(this.#words >> 3)
    const chunk = new Int32Array(this.#words)
    this.#chunks[index] = chunk
    return chunk
  }
}

/** One search: the steps, whether it goes forward (1) or backward (-1), and what has failed, if that is final. */
type PatternSearch = {
  readonly steps: readonly PatternStep[]
  readonly direction: number
  failed: FailedSteps | undefined
}

/** Finds the matches of a program in one text. */
export class Matcher {
  /** The number of code units in the text, or of code points with the flag `u`. */
  readonly length: number
  readonly #program: PatternProgram
  readonly #text: string
  readonly #codes: Uint32Array | undefined
  readonly #spend: SpendSteps
  /** For each code below 256, whether a match can start with it. */
  readonly #starts: Uint8Array | undefined
  /** What every match starts with. */
  readonly #prefix: string
  /** The starts and ends of the match and of its groups; -1 for a group that took no part. */
  readonly #marks: Int32Array
  /** Where the last match starts and ends. */
  start = 0
  end = 0
  #from = 0
  readonly #search: PatternSearch
  readonly #searchesAround = new Map<PatternProgram, PatternSearch>()
  #frames = new Int32Array(FRAME * 64)
  #frameEnd = 0
  /** Slots and their former values, to restore when an attempt fails. */
  readonly #changes: number[] = []
  #steps = 0
  #pc = 0
  #at = 0
  #level = 0

  constructor(program: PatternProgram, text: string, isUnicode: boolean, spend: SpendSteps) {
    this.#program = program
    this.#text = text
    this.#spend = spend
    spend(text.length >> 6)
    this.#codes = isUnicode ? Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0) : undefined
    this.length = this.#codes?.length ?? text.length
    this.#marks = new Int32Array(program.groupCount * 2 + 2).fill(-1)
    this.#search = this.#createSearch(program)
    this.#prefix = isUnicode ? '' : program.prefix
    if (program.starts && text.length > 256) this.#starts = this.#createStarts(program.starts)
  }

  #readCode(at: number): number {
    return this.#codes === undefined ? this.#text.charCodeAt(at) : (this.#codes[at] ?? 0)
  }

  /** The text between two positions. */
  readText(from: number, to: number): string {
    return this.#codes === undefined
      ? this.#text.slice(from, to)
      : String.fromCodePoint(...this.#codes.subarray(from, to))
  }

  /** The text of a group of the last match, or undefined if it took no part. The whole match is group 0. */
  readGroup(number: number): string | undefined {
    if (number === 0) return this.readText(this.start, this.end)
    const from = this.#marks[number * 2] ?? -1
    const to = this.#marks[number * 2 + 1] ?? -1
    return from < 0 || to < 0 ? undefined : this.readText(from, to)
  }

  #createSearch(program: PatternProgram): PatternSearch {
    return {
      steps: program.steps,
      direction: program.isBackward ? -1 : 1,
      failed: this.#createMemory(program),
    }
  }

  #createMemory({ memoSize }: PatternProgram): FailedSteps | undefined {
    return memoSize === 0 ? undefined : new FailedSteps(memoSize, this.#spend)
  }

  /** The texts of the groups of the last match, in order. */
  readGroups(): (string | undefined)[] {
    const texts: (string | undefined)[] = []
    for (let group = 1; group <= this.#program.groupCount; group++) texts.push(this.readGroup(group))
    return texts
  }

  /** Whether there is a match after the last one, as for `String.matchAll`. It then is the last one. */
  findNext(): boolean {
    this.#restoreMarks(0)
    for (let start = this.#findStart(this.#from); start <= this.length; start = this.#findStart(start + 1)) {
      const end = this.#matchProgram(this.#search, start)
      if (end >= 0) {
        // What succeeded is marked too, and the next match may start with it.
        this.#search.failed?.clearPosition(end)
        this.#steps += this.#program.memoSize
        this.start = start
        this.end = end
        this.#from = end > start ? end : end + 1
        return true
      }
      this.#restoreMarks(0)
      start = this.#skipRun(start)
    }
    this.#from = this.length + 1
    return false
  }

  #createStarts(ones: NonNullable<PatternProgram['starts']>): Uint8Array {
    const isStart = (code: number) =>
      ones.some((one) => (one.set ? one.set.hasCode(code, this.#spend) : one.code === code))
    return Uint8Array.from({ length: 256 }, (_, code) => Number(isStart(code)))
  }

  /** The next position at which a match can start, or a position beyond the text. */
  #findStart(from: number): number {
    let at = from
    if (this.#prefix !== '') {
      at = this.#text.indexOf(this.#prefix, from)
      if (at < 0) at = this.length + 1
    } else if (this.#starts) {
      while (at < this.length && this.#starts[this.#readCode(at)] === 0) at++
      if (at === this.length) at++
    }
    this.#steps += (at - from) >> 3
    return at
  }

  /** The last start from which the run that has just failed would fail again. */
  #skipRun(failedAt: number): number {
    const { leadingRun } = this.#program
    let at = failedAt
    while (leadingRun && this.#matchesOne(leadingRun, at, 1)) {
      this.#countStep()
      at++
    }
    return at
  }

  #countStep(): void {
    if (++this.#steps < REPORTED_STEPS) return
    this.#spend(this.#steps)
    this.#steps = 0
  }

  /** The end of the match of a program that starts at a position, or -1. */
  #matchProgram(search: PatternSearch, start: number): number {
    const bottom = this.#frameEnd
    this.#pc = 0
    this.#at = start
    this.#level = 0
    for (;;) {
      this.#countStep()
      const step = search.steps[this.#pc]
      if (step === undefined) {
        this.#frameEnd = bottom
        return this.#at
      }
      let isAlive = this.#runStep(step, search)
      while (!isAlive) {
        if (this.#frameEnd === bottom) return -1
        isAlive = this.#resumeAttempt(search)
      }
    }
  }

  #matchesOne(step: PatternStep, at: number, direction: number): boolean {
    const place = direction > 0 ? at : at - 1
    if (place < 0 || place >= this.length) return false
    const code = this.#readCode(place)
    return step.set ? step.set.hasCode(code, this.#spend) : code === step.code
  }

  /** Moves on by one step. Returns false if it fails. */
  #runStep(step: PatternStep, search: PatternSearch): boolean {
    const at = this.#at
    switch (step.do) {
      case 'one':
        this.#goTo(this.#pc + 1, at + search.direction, step.depth)
        return this.#matchesOne(step, at, search.direction)
      case 'run':
        return this.#startRun(step, search)
      case 'split':
        if (search.failed?.markFailed(step.memo + this.#level, at)) return false
        this.#pushFrame(step.other, at, this.#level, 0)
        this.#pc = step.to
        return true
      case 'jump':
        this.#pc = step.to
        return true
      case 'mark':
        this.#setMark(step.min, at)
        this.#pc++
        return true
      default:
        return this.#runRareStep(step, search.direction)
    }
  }

  #goTo(pc: number, at: number, level: number): void {
    this.#pc = pc
    this.#at = at
    this.#level = level
  }

  #canFollow({ follower }: PatternStep, at: number, direction: number): boolean {
    return follower < 0 || this.#readCode(direction > 0 ? at : at - 1) === follower
  }

  /** Starts a run of one character, which tries as many as possible first, or as few as possible. */
  #startRun(step: PatternStep, search: PatternSearch): boolean {
    const { min, max, isOther: lazy } = step
    const { direction, failed } = search
    const start = this.#at
    const limit = lazy ? min : max
    const canStop = !lazy && max === Infinity
    let count = 0
    while (count < limit && this.#matchesOne(step, start + count * direction, direction)) {
      // SECURITY: if this run went on from a place in vain, it also went on from all places beyond (case X-65).
      if (canStop && failed?.hasFailed(step.memo + step.depth, start + (count + 1) * direction)) break
      this.#countStep()
      count++
    }
    if (count < min) return false
    const at = start + count * direction
    // Only a run that matched nothing leaves the loops around it where they were.
    const level = min > 0 ? step.depth : this.#level
    if (min === max) {
      this.#goTo(this.#pc + 1, at, level)
      return true
    }
    return lazy
      ? this.#tryLonger(this.#pc, at, level, start + Math.min(max, this.length + 1) * direction, search)
      : this.#tryShorter(this.#pc, at, level, start + min * direction, search)
  }

  /** Goes on after a run at a position or, if that has failed before, after a shorter run. */
  #tryShorter(pc: number, from: number, level: number, end: number, search: PatternSearch): boolean {
    const step = search.steps[pc]
    if (step === undefined) return false
    for (let at = from; ; at -= search.direction) {
      this.#countStep()
      const now = at === end ? level : step.depth
      const hasFailed = search.failed?.markFailed(step.memo + now, at)
      if (!hasFailed && this.#canFollow(step, at, search.direction)) {
        if (at !== end) this.#pushFrame(~pc, at - search.direction, level, end)
        this.#goTo(pc + 1, at, now)
        return true
      }
      if (at === end) return false
    }
  }

  /** Goes on after a lazy run at a position or, if that has failed before, after a longer run. */
  #tryLonger(pc: number, from: number, level: number, end: number, search: PatternSearch): boolean {
    const step = search.steps[pc]
    if (step === undefined) return false
    for (let at = from, now = level; ; at += search.direction, now = step.depth) {
      this.#countStep()
      const hasFailed = search.failed?.markFailed(step.memo + now, at)
      const hasMore = at !== end && this.#matchesOne(step, at, search.direction)
      if (!hasFailed && this.#canFollow(step, at, search.direction)) {
        if (hasMore) this.#pushFrame(~pc, at + search.direction, step.depth, end)
        this.#goTo(pc + 1, at, now)
        return true
      }
      if (!hasMore || (hasFailed && step.max === Infinity)) return false
    }
  }

  #pushFrame(pc: number, at: number, level: number, bound: number): void {
    const end = this.#frameEnd
    if (end === this.#frames.length) {
      const frames = new Int32Array(end * 2)
      frames.set(this.#frames)
      this.#frames = frames
    }
    this.#frames[end] = pc
    this.#frames[end + 1] = at
    this.#frames[end + 2] = level
    this.#frames[end + 3] = bound
    this.#frames[end + 4] = this.#changes.length
    this.#frameEnd = end + FRAME
  }

  /** Goes back to the latest alternative. Returns false if it fails at once. */
  #resumeAttempt(search: PatternSearch): boolean {
    const frames = this.#frames
    const end = this.#frameEnd - FRAME
    this.#frameEnd = end
    const [pc, at, level] = [frames[end] ?? 0, frames[end + 1] ?? 0, frames[end + 2] ?? 0]
    this.#restoreMarks(frames[end + 4] ?? 0)
    if (pc < 0) {
      const bound = frames[end + 3] ?? 0
      return search.steps[~pc]?.isOther
        ? this.#tryLonger(~pc, at, level, bound, search)
        : this.#tryShorter(~pc, at, level, bound, search)
    }
    this.#goTo(pc, at, level)
    return true
  }

  #setMark(slot: number, value: number): void {
    this.#changes.push(slot, this.#marks[slot] ?? -1)
    this.#marks[slot] = value
  }

  #restoreMarks(length: number): void {
    const changes = this.#changes
    while (changes.length > length) {
      const value = changes.pop() ?? -1
      this.#marks[changes.pop() ?? 0] = value
    }
  }

  #runRareStep(step: PatternStep, direction: number): boolean {
    this.#pc++
    switch (step.do) {
      case 'forget':
        for (let slot = step.min; slot <= step.max; slot++) this.#setMark(slot, -1)
        this.#steps += step.max - step.min
        return true
      case 'enter':
        this.#level = Math.min(this.#level, step.depth - 1)
        return true
      case 'leave':
        if (this.#level < step.depth) return false
        this.#level = step.depth - 1
        return true
      case 'assertion':
        return this.#checkAssertion(step)
      case 'around':
        return this.#checkAround(step)
      default:
        return this.#matchBackreference(step, direction)
    }
  }

  #checkAround({ program, isOther: isNegative }: PatternStep): boolean {
    const [pc, at, level] = [this.#pc, this.#at, this.#level]
    const changed = this.#changes.length
    const isMatch = program !== undefined && this.#matchAround(program, at)
    if (isNegative) this.#restoreMarks(changed)
    this.#goTo(pc, at, level)
    return isMatch !== isNegative
  }

  #matchAround(program: PatternProgram, at: number): boolean {
    const search = this.#searchesAround.get(program) ?? this.#createSearch(program)
    this.#searchesAround.set(program, search)
    const isMatch = this.#matchProgram(search, at) >= 0
    // After a match, what has succeeded is marked too.
    if (isMatch) search.failed = this.#createMemory(program)
    return isMatch
  }

  #matchBackreference(step: PatternStep, direction: number): boolean {
    const slots = this.#marks
    const group = step.groups.find((each) => (slots[each * 2] ?? -1) >= 0 && (slots[each * 2 + 1] ?? -1) >= 0)
    if (group === undefined) return true
    const from = slots[group * 2] ?? 0
    const length = (slots[group * 2 + 1] ?? 0) - from
    const start = direction > 0 ? this.#at : this.#at - length
    if (start < 0 || start + length > this.length) return false
    for (let at = 0; at < length; at++) {
      this.#steps++
      if (!this.#isSame(this.#readCode(from + at), this.#readCode(start + at), step.ignoresCase)) return false
    }
    this.#at += length * direction
    if (length > 0) this.#level = step.depth
    return true
  }

  #isSame(left: number, right: number, ignoresCase: boolean): boolean {
    if (left === right || !ignoresCase) return left === right
    return String.fromCodePoint(left).toUpperCase() === String.fromCodePoint(right).toUpperCase()
  }

  #checkAssertion({ what, isOther: isMultiline }: PatternStep): boolean {
    const at = this.#at
    if (what === '^') return at === 0 || (isMultiline && isLineEnd(this.#readCode(at - 1)))
    if (what === '$') return at === this.length || (isMultiline && isLineEnd(this.#readCode(at)))
    return (isWord(this.#readCode(at - 1)) !== isWord(this.#readCode(at))) === (what === 'b')
  }
}

function isLineEnd(code: number | undefined): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029
}

function isWord(code = 0): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  )
}
