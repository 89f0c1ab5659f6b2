import { failed } from './errors.ts'
import { type Found, isBranch } from './payload.ts'

/** Where a request may hold elements: in a token's data, in that of the tokens it names, or in each token inside it. */
export type Places = 'data' | 'data of each' | 'data within' | 'anywhere'

/**
 * Throws if an element stands where it may not. SECURITY: whatever else a request says of a token, such as its metadata
 * and its id, the page reads in the answer.
 */
export function checkPlaces(payload: unknown, found: readonly Found[], places: Places): void {
  if (!found.every(({ path }) => isAllowed(payload, path, places))) {
    throw failed('An element can stand in the data of a token, and nowhere else in it')
  }
}

function isAllowed(payload: unknown, path: readonly string[], places: Places): boolean {
  switch (places) {
    case 'data':
      return path[0] === 'data'
    case 'data of each':
      return path[1] === 'data'
    case 'data within':
      return isInData(payload, path)
    case 'anywhere':
      return true
  }
}

function isInData(payload: unknown, path: readonly string[]): boolean {
  let node = payload
  for (const step of path) {
    if (isToken(node)) return step === 'data'
    node = isBranch(node) ? node[step] : undefined
  }
  return true
}

/** As the vault tells a request for a token from an object around it. */
function isToken(node: unknown): boolean {
  if (!isBranch(node) || Array.isArray(node)) return false
  const has = (name: string) => Object.hasOwn(node, name)
  return has('token_intent_id') || (has('type') && (has('data') || has('encrypted')))
}
