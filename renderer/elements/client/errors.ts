import type { PlainError } from '../protocol.ts'

/** The official packages recognize errors by name, because each script has its own error classes. */
class NamedError extends Error {
  constructor(name: string, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message)
    Object.assign(this, members)
    Object.defineProperty(this, 'name', { value: name, configurable: true, writable: true })
  }
}

/** Rebuilds an error from a frame as an instance of its class. `findTargetId` maps an element's id to its target. */
export function rebuildError(
  { name, message, shortened, ...members }: PlainError,
  findTargetId: (id: string) => string | undefined = () => undefined,
): Error {
  if (name === 'BasisTheoryValidationError') {
    addData(members.details, shortened as readonly (readonly string[])[] | undefined)
    const validation = (members.validation ?? []) as readonly { targetId: string; type: string }[]
    members.validation = validation.map(({ targetId, type }) => ({
      targetId: findTargetId(targetId) ?? targetId,
      type,
    }))
  }
  return new NamedError(name, message, members)
}

export function createConfigurationError(message: string): Error {
  return new NamedError('BasisTheoryConfigurationError', message, {
    details: { configuration: { type: 'invalid-configuration', message } },
  })
}

/**
 * Makes the details of a card available under `data` too, because their paths omit it. The added property is
 * not enumerable, so serialized details do not contain it.
 */
function addData(details: unknown, paths: readonly (readonly string[])[] = []): void {
  for (const path of paths) {
    let node = details as Record<string, unknown> | undefined
    for (const step of path) node = node?.[step] as Record<string, unknown> | undefined
    if (node && !('data' in node)) Object.defineProperty(node, 'data', { value: node })
  }
}

export const NOT_MOUNTED = 'Element is not mounted'
export const REMOVED_FROM_DOM = 'Element was removed from the DOM'
