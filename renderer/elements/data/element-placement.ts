import { createServiceError } from './errors.ts'
import { isBranch, type PayloadElement } from './payload.ts'

/** Where a request may hold elements: in a token's data, in that of the tokens it names, or in each token inside it. */
export type ElementPlacement = 'data' | 'data of each' | 'data within' | 'anywhere'

/**
 * Throws if an element stands where it may not. SECURITY: whatever else a request says of a token, such as its metadata
 * and its id, the page reads in the answer.
 */
export function checkPlacement(
  payload: unknown,
  elements: readonly PayloadElement[],
  placement: ElementPlacement,
): void {
  if (!elements.every(({ path }) => isAllowed(payload, path, placement))) {
    throw createServiceError('An element can stand in the data of a token, and nowhere else in it')
  }
}

function isAllowed(payload: unknown, path: readonly string[], placement: ElementPlacement): boolean {
  switch (placement) {
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
  const hasMember = (name: string) => Object.hasOwn(node, name)
  return hasMember('token_intent_id') || (hasMember('type') && (hasMember('data') || hasMember('encrypted')))
}
