import type { PlainError } from '../protocol.ts'

/** Errors are told apart by name: the classes of the official packages are not those of any script. */
class NamedError extends Error {
  constructor(name: string, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message)
    Object.assign(this, members)
    Object.defineProperty(this, 'name', { value: name, configurable: true, writable: true })
  }
}

/** What a frame sent, as the error of its class. `targetOf` gives the target of an element by its id. */
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

/** What keeps an element from being made. */
export function configurationError(message: string): Error {
  return new NamedError('BasisTheoryConfigurationError', message, {
    details: { configuration: { type: 'invalid-configuration', message } },
  })
}

/** The details skip the step `data` above a card; it is there as well, where nothing lists it. */
function addData(details: unknown, paths: readonly (readonly string[])[] = []): void {
  for (const path of paths) {
    let node = details as Record<string, unknown> | undefined
    for (const step of path) node = node?.[step] as Record<string, unknown> | undefined
    if (node && !('data' in node)) Object.defineProperty(node, 'data', { value: node })
  }
}

export const NOT_MOUNTED = 'Element is not mounted'
export const REMOVED_FROM_DOM = 'Element was removed from the DOM'
