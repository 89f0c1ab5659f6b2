import { type Assertion, PatternError, type PatternNode } from './parse.ts'

export type PatternInstruction =
  | { do: 'one'; test: (character: string) => boolean }
  /** Continues at `first`, and if that fails at `second`. */
  | { do: 'split'; first: number; second: number }
  | { do: 'jump'; to: number }
  | { do: 'mark'; slot: number }
  /** Clears the groups of the previous iteration when a repeat starts another one. */
  | { do: 'forget'; first: number; last: number }
  | { do: 'assertion'; what: Assertion }
  | { do: 'ahead'; program: readonly PatternInstruction[]; negative: boolean }
  | { do: 'end' }

/** The groups in a node, outer before inner. */
export function listGroups(part: PatternNode): Extract<PatternNode, { is: 'group' }>[] {
  switch (part.is) {
    case 'sequence':
    case 'either':
      return part.parts.flatMap(listGroups)
    case 'repeat':
    case 'ahead':
      return listGroups(part.part)
    case 'group':
      return [part, ...listGroups(part.part)]
    default:
      return []
  }
}

const MAX_INSTRUCTIONS = 3000

export function compileProgram(part: PatternNode): readonly PatternInstruction[] {
  const steps: PatternInstruction[] = []

  function addStep<S extends PatternInstruction>(step: S): S {
    if (steps.length >= MAX_INSTRUCTIONS) throw new PatternError('is too large')
    steps.push(step)
    return step
  }

  /** Adds a split between the next instruction and a target, set later. If lazy, the target is tried first. */
  function addSplit(lazy: boolean): (to: number) => void {
    const split = addStep({ do: 'split', first: 0, second: 0 })
    const next = steps.length
    split.first = split.second = next
    return (to) => {
      if (lazy) split.first = to
      else split.second = to
    }
  }

  function emitRepeat({ part, min, max, lazy }: Extract<PatternNode, { is: 'repeat' }>): void {
    const groups = listGroups(part).map(({ number }) => number)
    function emitBody(): void {
      if (groups.length > 0)
        addStep({ do: 'forget', first: Math.min(...groups) * 2, last: Math.max(...groups) * 2 + 1 })
      emitNode(part)
    }
    for (let count = 0; count < min; count++) emitBody()
    if (max === Infinity) {
      const start = steps.length
      const setExit = addSplit(lazy)
      emitBody()
      addStep({ do: 'jump', to: start })
      setExit(steps.length)
      return
    }
    const exits: ((to: number) => void)[] = []
    for (let count = min; count < max; count++) {
      exits.push(addSplit(lazy))
      emitBody()
    }
    for (const setExit of exits) setExit(steps.length)
  }

  function emitAlternatives(options: readonly PatternNode[]): void {
    const jumps: { to: number }[] = []
    for (const [at, option] of options.entries()) {
      const other = at < options.length - 1 ? addSplit(false) : undefined
      emitNode(option)
      if (other) jumps.push(addStep({ do: 'jump', to: 0 }))
      other?.(steps.length)
    }
    for (const jump of jumps) jump.to = steps.length
  }

  function emitNode(node: PatternNode): void {
    switch (node.is) {
      case 'one':
        addStep({ do: 'one', test: node.test })
        return
      case 'sequence':
        for (const each of node.parts) emitNode(each)
        return
      case 'either':
        emitAlternatives(node.parts)
        return
      case 'group':
        addStep({ do: 'mark', slot: node.number * 2 })
        emitNode(node.part)
        addStep({ do: 'mark', slot: node.number * 2 + 1 })
        return
      case 'repeat':
        emitRepeat(node)
        return
      case 'assertion':
        addStep({ do: 'assertion', what: node.what })
        return
      case 'ahead':
        addStep({ do: 'ahead', program: compileProgram(node.part), negative: node.negative })
    }
  }

  emitNode(part)
  addStep({ do: 'end' })
  return steps
}
