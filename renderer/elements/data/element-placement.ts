import { createServiceError } from './errors.ts'
import { isBranch, type PayloadElement } from './payload.ts'

/**
 * Where a request may contain elements. `data`: in the data of the token. `data of each`: in the data of each named
 * token. `data within`: anywhere except in the other properties of a token, at any depth. `anywhere`: no restriction.
 */
export type ElementPlacement = 'data' | 'data of each' | 'data within' | 'anywhere'

/**
 * Throws if an element is not allowed at its position. SECURITY: the response returns the other properties of
 * a token, such as its metadata and id, to the page in plaintext.
 */
export function checkPlacement(
  payload: unknown,
  elements: readonly PayloadElement[],
  placement: ElementPlacement,
): void {
  if (!elements.every(({ path }) => isAllowed(payload, path, placement))) {
    throw createServiceError('Elements are allowed only in the data of a token')
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

/** Whether an object is a token request, rather than an object of token requests, by the vault's rule. */
function isToken(node: unknown): boolean {
  if (!isBranch(node) || Array.isArray(node)) return false
  const hasMember = (name: string) => Object.hasOwn(node, name)
  return hasMember('token_intent_id') || (hasMember('type') && (hasMember('data') || hasMember('encrypted')))
}
