import type { ElementProblem } from '../protocol.ts'

/** An element's validation problem, with the element's path in the payload. */
export type CheckedElement = {
  readonly path: readonly string[]
  readonly element: string
  readonly problem: ElementProblem
  readonly isCard: boolean
}

type Branch = { [name: string]: Branch | string }

/**
 * Builds the tree of validation details. It mirrors the payload. An invalid element becomes `{type}`, an invalid card
 * one `{type}` per invalid part, and a valid card an empty object; other valid elements are left out. With
 * `isShortened`, the details of a card that is the complete `data` of a token are at the position of the token.
 * `shortened` lists these positions, so that the page can make the details available under `data` too.
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
    // Defined rather than assigned, so that a payload's `__proto__` is an ordinary key.
    if (child !== next) Object.defineProperty(node, name, { value: child, ...plainProperty })
    node = child
  }
  return node
}

const plainProperty = { enumerable: true, writable: true, configurable: true }

const createBranch = (): Branch => ({})
