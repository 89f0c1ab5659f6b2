import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { findApplication } from '../applications/store.ts'
import type { Context } from '../pipeline/context.ts'

/**
 * The application that a request gives a proxy or a reactor; null for none. Throws `invalid` if it does not exist, or is
 * a management one (rules G-01, F-01).
 */
export function resolveApplication(
  { db, now }: Context,
  requested: { readonly id: string } | undefined,
  before: string | null,
): string | null {
  const id = requested?.id ?? null
  // An application that is gone since stays until another is named.
  if (id === null || id === before) return id
  const application = findApplication(db, id, now)
  if (!application) throw createInvalidError('application.id', 'names no application')
  if (application.type === 'management')
    throw createInvalidError('application.id', 'must name a private or a public application')
  return id
}

/**
 * The context for what the application of a proxy or a reactor does with its own rights. Throws `forbidden` if the
 * application was deleted or has expired.
 */
export function toApplicationContext(context: Context, id: string, kind: 'proxy' | 'reactor'): Context {
  try {
    return context.asApplication(id)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'not_found') throw error
    throw new CofferError('forbidden', `The application of this ${kind} is gone. Give it another one.`)
  }
}
