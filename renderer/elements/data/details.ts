import type { Problem } from '../protocol.ts'

/** What is wrong with an element, and where it stands in the payload. */
export type Checked = {
  readonly path: readonly string[]
  /** Its id. */
  readonly element: string
  readonly problem: Problem
  readonly isCard: boolean
}

type Branch = { [name: string]: Branch | string }

/**
 * The tree of what is wrong with a payload. It mirrors the payload, with `{type}` where an element stands, or an empty
 * object where that one is in order. With `isShortened`, a card that is all of a token's `data` stands in the token's own
 * place; `shortened` lists these places, so that the page can add the step again.
 */
export function detailsOf(
  checked: readonly Checked[],
  isShortened: boolean,
): { readonly details: Branch; readonly shortened: readonly (readonly string[])[] } {
  const details = branch()
  const shortened: (readonly string[])[] = []
  for (const { path, problem, isCard } of checked) {
    const isShort = isShortened && isCard && path.at(-1) === 'data'
    const place = isShort ? path.slice(0, -1) : path
    if (isShort) shortened.push(place)
    if (problem !== null || isCard) Object.assign(at(details, place), shown(problem))
  }
  return { details, shortened }
}

function shown(problem: Problem): Branch {
  if (problem === null) return branch()
  if (typeof problem === 'string') return { type: problem }
  return Object.fromEntries(Object.entries(problem).map(([part, type]) => [part, { type }]))
}

function at(root: Branch, path: readonly string[]): Branch {
  let node = root
  for (const name of path) {
    const next = Object.hasOwn(node, name) ? node[name] : undefined
    const found = typeof next === 'object' ? next : branch()
    // Defined, so that a payload's `__proto__` is a name like any other.
    if (found !== next) Object.defineProperty(node, name, { value: found, ...plain })
    node = found
  }
  return node
}

const plain = { enumerable: true, writable: true, configurable: true }

const branch = (): Branch => ({})
