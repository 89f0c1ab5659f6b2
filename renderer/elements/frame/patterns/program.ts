import { type Assertion, type Part, PatternProblem } from './parse.ts'

export type Step =
  | { do: 'one'; test: (character: string) => boolean }
  /** Goes on at the first, and if that fails at the second. */
  | { do: 'split'; first: number; second: number }
  | { do: 'jump'; to: number }
  | { do: 'mark'; slot: number }
  /** Each round of a repeat begins without the groups of the last. */
  | { do: 'forget'; first: number; last: number }
  | { do: 'assertion'; what: Assertion }
  | { do: 'ahead'; program: readonly Step[]; negative: boolean }
  | { do: 'end' }

/** The groups in a part, the outer before the inner. */
export function groupsOf(part: Part): Extract<Part, { is: 'group' }>[] {
  switch (part.is) {
    case 'sequence':
    case 'either':
      return part.parts.flatMap(groupsOf)
    case 'repeat':
    case 'ahead':
      return groupsOf(part.part)
    case 'group':
      return [part, ...groupsOf(part.part)]
    default:
      return []
  }
}

const mostSteps = 3000

/** The steps that look for a match of these parts. */
export function programOf(part: Part): readonly Step[] {
  const steps: Step[] = []

  function add<S extends Step>(step: S): S {
    if (steps.length >= mostSteps) throw new PatternProblem('is too large')
    steps.push(step)
    return step
  }

  /** A split to what comes next and to what is set later; lazy, the other way round. */
  function choice(lazy: boolean): (to: number) => void {
    const split = add({ do: 'split', first: 0, second: 0 })
    const next = steps.length
    split.first = split.second = next
    return (to) => {
      if (lazy) split.first = to
      else split.second = to
    }
  }

  function repeat({ part, least, most, lazy }: Extract<Part, { is: 'repeat' }>): void {
    const groups = groupsOf(part).map(({ number }) => number)
    function emitBody(): void {
      if (groups.length > 0)
        add({ do: 'forget', first: Math.min(...groups) * 2, last: Math.max(...groups) * 2 + 1 })
      emit(part)
    }
    for (let count = 0; count < least; count++) emitBody()
    if (most === Infinity) {
      const start = steps.length
      const leave = choice(lazy)
      emitBody()
      add({ do: 'jump', to: start })
      leave(steps.length)
      return
    }
    const leaves: ((to: number) => void)[] = []
    for (let count = least; count < most; count++) {
      leaves.push(choice(lazy))
      emitBody()
    }
    for (const leave of leaves) leave(steps.length)
  }

  function either(options: readonly Part[]): void {
    const jumps: { to: number }[] = []
    for (const [at, option] of options.entries()) {
      const other = at < options.length - 1 ? choice(false) : undefined
      emit(option)
      if (other) jumps.push(add({ do: 'jump', to: 0 }))
      other?.(steps.length)
    }
    for (const jump of jumps) jump.to = steps.length
  }

  function emit(one: Part): void {
    switch (one.is) {
      case 'one':
        add({ do: 'one', test: one.test })
        return
      case 'sequence':
        for (const each of one.parts) emit(each)
        return
      case 'either':
        either(one.parts)
        return
      case 'group':
        add({ do: 'mark', slot: one.number * 2 })
        emit(one.part)
        add({ do: 'mark', slot: one.number * 2 + 1 })
        return
      case 'repeat':
        repeat(one)
        return
      case 'assertion':
        add({ do: 'assertion', what: one.what })
        return
      case 'ahead':
        add({ do: 'ahead', program: programOf(one.part), negative: one.negative })
    }
  }

  emit(part)
  add({ do: 'end' })
  return steps
}
