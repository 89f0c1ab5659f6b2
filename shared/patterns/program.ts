import type { CodeSet } from './code-set.ts'
import { type Assertion, PatternError, type PatternNode } from './parse.ts'

/** One instruction. All have the same members, so that reading one is fast. */
export type PatternStep = {
  readonly do:
    | 'one'
    | 'run'
    | 'split'
    | 'jump'
    | 'mark'
    | 'forget'
    | 'enter'
    | 'leave'
    | 'assertion'
    | 'around'
    | 'backreference'
  /** What `one` and `run` match: a code, or a set. */
  readonly code: number
  readonly set: CodeSet | undefined
  /** The code that must follow a run, or -1. */
  follower: number
  /** How often `run` matches; the first and the last slot to `mark` or `forget`. */
  readonly min: number
  readonly max: number
  /** Whether `run` tries fewer first, `around` must not match, or an assertion applies to each line. */
  readonly isOther: boolean
  /** Where `split` and `jump` go on. */
  to: number
  /** Where `split` goes on if that fails. */
  other: number
  /** The number of the first bit that remembers what has failed; one for each level up to `depth`. */
  readonly memo: number
  /** How many loops enclose the step whose round may match nothing. */
  readonly depth: number
  readonly what: Assertion | undefined
  readonly groups: readonly number[]
  readonly ignoresCase: boolean
  readonly program: PatternProgram | undefined
}

export type PatternProgram = {
  readonly steps: readonly PatternStep[]
  readonly isBackward: boolean
  /** How many bits there are for each position; 0 if what happened before can make a failed step succeed. */
  readonly memoSize: number
  readonly groupCount: number
  /** What a match can start with; undefined if that is not known, or if a match can be empty. */
  readonly starts: readonly PatternOne[] | undefined
  /** Characters that every match starts with; there may be more. */
  readonly prefix: string
  /** An endless run at the beginning: if it failed from one start, it fails from every later one in it. */
  readonly leadingRun: PatternStep | undefined
}

/** SECURITY: a search for a long prefix may take long, and cannot be interrupted (case X-65). */
const MAX_PREFIX = 8

/** The characters that a program starts with. */
function findPrefix(steps: readonly PatternStep[]): string {
  const parts = steps.filter((step) => step.do !== 'mark')
  const end = parts.slice(0, MAX_PREFIX).findIndex((step) => step.do !== 'one' || step.set !== undefined)
  return String.fromCodePoint(...parts.slice(0, end < 0 ? MAX_PREFIX : end).map((step) => step.code))
}

/** The endless run that a program starts with, if any. */
function findLeadingRun(steps: readonly PatternStep[]): PatternStep | undefined {
  const first = steps.find((step) => step.do !== 'mark')
  return first?.do === 'run' && first.max === Infinity ? first : undefined
}

type PatternOne = Extract<PatternNode, { is: 'one' }>

/** Adds what a match of a node can start with. Returns whether it can also start with what follows. */
function addStarts(part: PatternNode, starts: PatternOne[]): boolean {
  switch (part.is) {
    case 'one':
      starts.push(part)
      return false
    case 'sequence':
      return part.parts.every((each) => addStarts(each, starts))
    case 'either':
      return part.parts.map((each) => addStarts(each, starts)).includes(true)
    case 'group':
      return addStarts(part.part, starts)
    case 'repeat':
      return (part.max > 0 && addStarts(part.part, starts)) || part.min === 0
    default:
      return true
  }
}

/** The groups in a node, outer before inner. */
export function listGroups(part: PatternNode): Extract<PatternNode, { is: 'group' }>[] {
  if (part.is === 'group') return [part, ...listGroups(part.part)]
  return listParts(part).flatMap(listGroups)
}

/** The nodes directly inside a node. */
export function listParts(part: PatternNode): readonly PatternNode[] {
  if ('parts' in part) return part.parts
  return 'part' in part ? [part.part] : []
}

function canBeEmpty(part: PatternNode): boolean {
  if (part.is === 'one') return false
  if (part.is === 'sequence') return part.parts.every(canBeEmpty)
  if (part.is === 'either') return part.parts.some(canBeEmpty)
  if (part.is === 'group') return canBeEmpty(part.part)
  return part.is !== 'repeat' || part.min === 0 || canBeEmpty(part.part)
}

/** Whether a node refers back to a group: then the same step may fail once and succeed later. */
function hasBackreference(part: PatternNode): boolean {
  return part.is === 'backreference' || listParts(part).some(hasBackreference)
}

/** Throws PatternError if there would be more than `maxSteps` steps. */
export function compileProgram(root: PatternNode, maxSteps: number): PatternProgram {
  let left = maxSteps
  const takeStep = () => {
    if (left-- === 0) throw new PatternError('is too large')
  }
  const compiler = new ProgramCompiler(takeStep, listGroups(root).length, hasBackreference(root))
  return compiler.compileNode(root, false)
}

class ProgramCompiler {
  readonly #takeStep: () => void
  readonly #groupCount: number
  readonly #hasBackreference: boolean
  #steps: PatternStep[] = []
  #memoSize = 0
  #depth = 0
  #isBackward = false

  constructor(takeStep: () => void, groupCount: number, hasReference: boolean) {
    this.#takeStep = takeStep
    this.#groupCount = groupCount
    this.#hasBackreference = hasReference
  }

  compileNode(root: PatternNode, isBackward: boolean): PatternProgram {
    const starts: PatternOne[] = []
    this.#isBackward = isBackward
    this.#emitNode(root)
    this.#setFollowers()
    return {
      steps: this.#steps,
      isBackward,
      memoSize: this.#hasBackreference ? 0 : this.#memoSize,
      groupCount: this.#groupCount,
      starts: this.#hasBackreference || addStarts(root, starts) ? undefined : starts,
      prefix: findPrefix(this.#steps),
      leadingRun: this.#hasBackreference ? undefined : findLeadingRun(this.#steps),
    }
  }

  #addStep(step: Partial<PatternStep> & Pick<PatternStep, 'do'>): PatternStep {
    this.#takeStep()
    const added: PatternStep = {
      do: step.do,
      code: step.code ?? -1,
      follower: -1,
      set: step.set,
      min: step.min ?? 0,
      max: step.max ?? 0,
      isOther: step.isOther ?? false,
      to: 0,
      other: 0,
      memo: this.#memoSize,
      depth: this.#depth,
      what: step.what,
      groups: step.groups ?? [],
      ignoresCase: step.ignoresCase ?? false,
      program: step.program,
    }
    const hasChoice = step.do === 'split' || (step.do === 'run' && step.min !== step.max)
    if (hasChoice) this.#memoSize += this.#depth + 1
    this.#steps.push(added)
    return added
  }

  #setFollowers(): void {
    let follower = -1
    for (const step of this.#steps.toReversed()) {
      step.follower = follower
      if (step.do !== 'mark') follower = step.do === 'one' ? step.code : -1
    }
  }

  /** Adds a split between the next step and a target, set later. If lazy, the target is tried first. */
  #addSplit(lazy: boolean): (to: number) => void {
    const split = this.#addStep({ do: 'split' })
    const next = this.#steps.length
    split.to = split.other = next
    return (to) => {
      if (lazy) split.to = to
      else split.other = to
    }
  }

  #emitNode(node: PatternNode): void {
    switch (node.is) {
      case 'one':
        this.#addStep({ do: 'one', code: node.code, set: node.set })
        return
      case 'sequence':
        for (const each of this.#isBackward ? node.parts.toReversed() : node.parts) this.#emitNode(each)
        return
      case 'either':
        this.#emitAlternatives(node.parts)
        return
      case 'group': {
        const slots = [node.number * 2, node.number * 2 + 1]
        const [first = 0, second = 0] = this.#isBackward ? slots.reverse() : slots
        this.#addStep({ do: 'mark', min: first })
        this.#emitNode(node.part)
        this.#addStep({ do: 'mark', min: second })
        return
      }
      case 'repeat':
        this.#emitRepeat(node)
        return
      case 'assertion':
        this.#addStep({ do: 'assertion', what: node.what, isOther: node.isMultiline })
        return
      case 'around': {
        const compiler = new ProgramCompiler(this.#takeStep, this.#groupCount, this.#hasBackreference)
        const program = compiler.compileNode(node.part, node.isBehind)
        this.#addStep({ do: 'around', program, isOther: node.isNegative })
        return
      }
      case 'backreference':
        this.#addStep({ do: 'backreference', groups: node.groups, ignoresCase: node.ignoresCase })
    }
  }

  #emitAlternatives(options: readonly PatternNode[]): void {
    const jumps: PatternStep[] = []
    for (const [at, option] of options.entries()) {
      const setOther = at < options.length - 1 ? this.#addSplit(false) : undefined
      this.#emitNode(option)
      if (setOther) jumps.push(this.#addStep({ do: 'jump' }))
      setOther?.(this.#steps.length)
    }
    for (const jump of jumps) jump.to = this.#steps.length
  }

  #emitRepeat({ part, min, max, lazy }: Extract<PatternNode, { is: 'repeat' }>): void {
    if (part.is === 'one') {
      this.#addStep({ do: 'run', code: part.code, set: part.set, min, max, isOther: lazy })
      return
    }
    const groups = listGroups(part).map(({ number }) => number)
    const emitRound = () => {
      if (groups.length > 0)
        this.#addStep({ do: 'forget', min: Math.min(...groups) * 2, max: Math.max(...groups) * 2 + 1 })
      this.#emitNode(part)
    }
    for (let count = 0; count < min; count++) emitRound()
    if (max === Infinity) {
      const start = this.#steps.length
      const setExit = this.#addSplit(lazy)
      this.#emitOptionalRound(part, emitRound)
      this.#addStep({ do: 'jump' }).to = start
      setExit(this.#steps.length)
      return
    }
    const exits: ((to: number) => void)[] = []
    for (let count = min; count < max; count++) {
      exits.push(this.#addSplit(lazy))
      this.#emitOptionalRound(part, emitRound)
    }
    for (const setExit of exits) setExit(this.#steps.length)
  }

  /** A round beyond the minimum fails if it matches nothing, as JavaScript demands. */
  #emitOptionalRound(part: PatternNode, emitRound: () => void): void {
    if (!canBeEmpty(part)) {
      emitRound()
      return
    }
    this.#depth++
    this.#addStep({ do: 'enter' })
    emitRound()
    this.#addStep({ do: 'leave' })
    this.#depth--
  }
}
