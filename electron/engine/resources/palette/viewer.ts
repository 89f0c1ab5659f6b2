import type { Permission } from '../../../../shared/permissions.ts'
import { decideAccess, getWeakerTransform, hasPermission } from '../../access/access.ts'
import type { ApplicationActor } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { findActorOfApplication } from '../applications/actors.ts'
import { createMissingError } from '../crud.ts'
import { toSubject } from '../tokens/read/require-token.ts'

/** Whose view the palette shows: an application's, or the owner's, which is null. */
export type Viewer = ApplicationActor | null

/** Finds whose view the palette shows. Throws `not_found` for an application that does not exist. */
export function findViewer({ db }: Context, application_id: string | undefined): Viewer {
  if (application_id === undefined) return null
  const actor = findActorOfApplication(db, application_id)
  if (!actor) throw createMissingError('application')
  return actor
}

/** Whether the viewer may read what has this permission. */
export function mayRead(viewer: Viewer, permission: Permission): boolean {
  return viewer === null || hasPermission(viewer, permission)
}

/** How much of a token the palette shows. */
export type View = 'mask' | 'redact'

/**
 * How the viewer may see a token here; null if not at all. SECURITY: never as plaintext, whatever a rule reveals.
 */
export function decideView(viewer: Viewer, row: Parameters<typeof toSubject>[0]): View | null {
  if (viewer === null) return 'mask'
  const grant = decideAccess(viewer, 'token:read', toSubject(row), 'any')
  return grant && (getWeakerTransform(grant.transform, 'mask') === 'mask' ? 'mask' : 'redact')
}
