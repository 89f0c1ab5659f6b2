import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Context } from '../../pipeline/context.ts'
import { findApplication } from '../applications/store.ts'

/**
 * Returns the id of the application that a request assigns to a proxy or a reactor; null for none. Throws `invalid`
 * if the application does not exist, or is a management application (rules G-01, F-01).
 */
export function resolveApplication(
  { db, now }: Context,
  requested: { readonly id: string } | undefined,
  before: string | null,
): string | null {
  const id = requested?.id ?? null
  // An application that was deleted later stays assigned until the request names another.
  if (id === null || id === before) return id
  const application = findApplication(db, id, now)
  if (!application) throw createInvalidError('application.id', 'names no application')
  if (application.type === 'management')
    throw createInvalidError('application.id', 'must name a private or a public application')
  return id
}

/**
 * Returns the context in which a proxy or a reactor acts with the rights of its application. Throws `forbidden` if
 * the application was deleted or has expired.
 */
export function toApplicationContext(context: Context, id: string, kind: 'proxy' | 'reactor'): Context {
  try {
    return context.asApplication(id)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'not_found') throw error
    throw new CofferError('forbidden', `The ${kind}'s application no longer exists. Assign another one.`)
  }
}
