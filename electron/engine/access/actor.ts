import type { ApplicationType, Permission } from '../../../shared/permissions.ts'
import type { Rule } from '../../../shared/schemas/rule.ts'

/** What an actor holds: permissions for everything, rules for containers. */
export type Grants = {
  readonly permissions: readonly Permission[]
  /** Ascending by priority. */
  readonly rules: readonly Rule[]
}

export type ApplicationActor = Grants & {
  readonly kind: 'application'
  readonly id: string
  readonly key_id: string | null
  readonly type: ApplicationType
  /** Epoch ms after which the application is gone (rule K-03). */
  readonly expires_at: number | null
}

/** A session acts for at most what its authoriser may do (rule O-04). */
export type SessionActor = Grants & {
  readonly kind: 'session'
  readonly id: string
  readonly application_id: string
  readonly authorizer: ApplicationActor | null
  readonly expires_at: number
}

/** The person at the machine: every operation, plaintext only by an explicit reveal. */
type OwnerActor = { readonly kind: 'owner' }

export type Actor = OwnerActor | ApplicationActor | SessionActor

/** The id written into the log: the session's own, where it is one; the owner has none. */
export function actorId(actor: Actor): string | null {
  return actor.kind === 'owner' ? null : actor.id
}

/** The id written into `created_by` and `modified_by`: the application, also behind a session. */
export function creatorId(actor: Actor): string | null {
  return actor.kind === 'session' ? actor.application_id : actorId(actor)
}
