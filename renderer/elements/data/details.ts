import type { ElementProblem } from '../protocol.ts'

/** What is wrong with an element, and where it stands in the payload. */
export type CheckedElement = {
  readonly path: readonly string[]
  /** Its id. */
  readonly element: string
  readonly problem: ElementProblem
  readonly isCard: boolean
}

type Branch = { [name: string]: Branch | string }

/**
 * The tree of what is wrong with a payload. It mirrors the payload, with `{type}` where an element stands, or an empty
 * object where that one is in order. With `isShortened`, a card that is all of a token's `data` stands in the token's own
 * place; `shortened` lists these places, so that the page can add the step again.
 */
export function buildDetails(
  checked: readonly CheckedElement[],
  isShortened: boolean,
): { readonly details: Branch; readonly shortened: readonly (readonly string[])[] } {
  const details = createBranch()
  const shortened: (readonly string[])[] = []
  for (const { path, problem, isCard } of checked) {
    const isShort = isShortened && isCard && path.at(-1) === 'data'
    const place = isShort ? path.slice(0, -1) : path
    if (isShort) shortened.push(place)
    if (problem !== null || isCard) Object.assign(ensureBranch(details, place), describeProblem(problem))
  }
  return { details, shortened }
}

function describeProblem(problem: ElementProblem): Branch {
  if (problem === null) return createBranch()
  if (typeof problem === 'string') return { type: problem }
  return Object.fromEntries(Object.entries(problem).map(([part, type]) => [part, { type }]))
}

function ensureBranch(root: Branch, path: readonly string[]): Branch {
  let node = root
  for (const name of path) {
    const next = Object.hasOwn(node, name) ? node[name] : undefined
    const child = typeof next === 'object' ? next : createBranch()
    // Defined, so that a payload's `__proto__` is a name like any other.
    if (child !== next) Object.defineProperty(node, name, { value: child, ...plainProperty })
    node = child
  }
  return node
}

const plainProperty = { enumerable: true, writable: true, configurable: true }

const createBranch = (): Branch => ({})
