import type { Json } from '../../../shared/json.ts'
import type { ApplicationType, Permission } from '../../../shared/permissions.ts'
import type { AccessRule } from '../../../shared/schemas/rule.ts'

/** The grants of an actor: permissions, which apply everywhere, and rules, which apply to containers. */
export type Grants = {
  readonly permissions: readonly Permission[]
  /** In ascending order of priority. */
  readonly rules: readonly AccessRule[]
}

export type ApplicationActor = Grants & {
  readonly kind: 'application'
  readonly id: string
  readonly name: string
  readonly key_id: string | null
  readonly type: ApplicationType
  /** Epoch ms from which the application no longer exists (rule K-03). */
  readonly expires_at: number | null
  /** The run of code that calls with a run key (rule F-03). */
  readonly runGrant?: { readonly note: string; readonly seen: Json[] }
}

/** A session can do no more than its authorizer (rule O-04). */
export type SessionActor = Grants & {
  readonly kind: 'session'
  readonly id: string
  readonly application_id: string
  readonly application_name: string
  readonly authorizer: ApplicationActor | null
  readonly expires_at: number
}

/** The caller of a pre-configured proxy without a key: it has no rights of its own. */
export type ProxyActor = Grants & {
  readonly kind: 'proxy'
  /** The proxy's id. */
  readonly id: string
  readonly expires_at: null
}

/** A visitor of a page of 3D Secure or of agentic payments, who can do only what the page offers (rules S-01, Z-03). */
export type CardholderActor = Grants & {
  readonly kind: 'cardholder'
  readonly expires_at: null
}

/** The person who unlocked the vault: can call every operation, but sees plaintext only after an explicit reveal. */
type OwnerActor = { readonly kind: 'owner' }

export type Actor = OwnerActor | ApplicationActor | SessionActor | ProxyActor | CardholderActor

/** Returns the actor's id for the log: a session's own id; null for the owner and for a cardholder. */
export function getActorId(actor: Actor): string | null {
  return actor.kind === 'owner' || actor.kind === 'cardholder' ? null : actor.id
}

/** Returns the id for `created_by` and `modified_by`: a session is represented by its application. */
export function getCreatorId(actor: Actor): string | null {
  return actor.kind === 'session' ? actor.application_id : getActorId(actor)
}
