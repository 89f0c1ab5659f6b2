import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { Problems } from '../../../../shared/problems.ts'
import type { AuthenticationRequest, DeviceInfo } from '../../../../shared/schemas/three-ds.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { getBrandName } from './brands.ts'
import { type Authenticated, openContent, sealContent, type ThreeDsContent } from './content.ts'
import type { OpenedThreeDsSession } from './present.ts'
import { asksDecoupled, requireForAuthentication } from './requirements.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { findThreeDs, type ThreeDsRow, updateThreeDs } from './store.ts'
import { toSessionEventData } from './three-ds-events.ts'

/** How long a session lasts, in ms (rule S-01). */
export const SESSION_LIFETIME_MS = 24 * 60 * 60 * 1000
const MINUTE_MS = 60_000

/** Returns a session. Throws `not_found` if it does not exist or has expired. */
export function requireThreeDs(context: Context, id: string): OpenedThreeDsSession {
  context.setRecordEntity(id)
  const row = findThreeDs(context.db, id, context.now)
  if (!row) throw createMissingSessionError()
  return { row, content: openContent(context, row) }
}

export function createMissingSessionError(): CofferError {
  return new CofferError('not_found', 'There is no such 3D Secure session, or it has expired.')
}

/** Stores the new content of a session, and returns the updated session. */
export function storeContent(
  context: Context,
  row: ThreeDsRow,
  content: ThreeDsContent,
): OpenedThreeDsSession {
  const until = content.authenticated?.decoupled.until
  const updated: ThreeDsRow = {
    ...row,
    content: sealContent(context, row.id, content),
    modified_by: context.actor.kind === 'cardholder' ? row.modified_by : getCreatorId(context.actor),
    modified_at: context.now,
    expires_at: Math.max(row.expires_at, until ? until + SESSION_LIFETIME_MS : 0),
  }
  updateThreeDs(context.db, updated)
  return { row: updated, content }
}

/**
 * Authenticates a session, which is possible once, and sends the event to webhooks (rule S-01). Throws `invalid` if
 * a member is missing or the session was authenticated before, and `three_ds_failed` for test cards that simulate a
 * failing directory or server.
 */
export function authenticateThreeDs(
  context: Context,
  { row, content }: OpenedThreeDsSession,
  request: AuthenticationRequest,
  device_info: DeviceInfo | null = content.device_info,
): OpenedThreeDsSession & { readonly authenticated: Authenticated } {
  if (content.authenticated)
    throw createInvalidError('id', 'names a session that has been authenticated already')
  const problems = new Problems()
  problems.attemptCheck(() => requireForAuthentication(request, content.type))
  const brand = problems.concludeWith(() => chooseBrand(content, request.card_brand))
  const scenario: Scenario = scenarios[content.scenario]
  if (scenario.error) throw createServiceError(row.id, scenario.error)
  const { merchant_info, purchase_info, message_extensions = [], metadata } = request
  const isDecoupled = asksDecoupled(request, content.type)
  const minutes = request.decoupled_challenge_max_time ?? 0
  const authenticated: Authenticated = {
    brand,
    at: context.now,
    decoupled: {
      asked: isDecoupled,
      until: isDecoupled && scenario.challenge ? context.now + minutes * MINUTE_MS : null,
    },
    challenge_preference: request.challenge_preference ?? null,
    checks_whitelist: request.authentication_type === 'whitelist-status-check',
    message_extensions,
    merchant: merchant_info?.name ?? null,
    purchase: toPurchase(purchase_info),
    choice: null,
  }
  const opened = storeContent(context, row, {
    ...content,
    device_info,
    base_url: content.base_url || context.base_url,
    metadata: metadata ?? content.metadata,
    request: null,
    authenticated,
  })
  context.queueEvent('3ds.session.authenticated', () => ({
    session: toSessionEventData(context, opened, 'authenticated'),
  }))
  return { ...opened, authenticated }
}

function toPurchase(info: AuthenticationRequest['purchase_info']): Authenticated['purchase'] {
  const { amount, currency, exponent } = info ?? {}
  return amount && currency && exponent ? { amount, currency, exponent } : null
}

/** Returns the brand to pay with: the one that the merchant chose for a co-branded card, or the first by default. */
function chooseBrand({ brand, additional_brands }: ThreeDsContent, chosen: string | undefined): string {
  if (chosen === undefined) return brand
  const normalizeName = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')
  const match = [brand, ...additional_brands].find((each) =>
    [normalizeName(each), normalizeName(getBrandName(each))].includes(normalizeName(chosen)),
  )
  if (!match) throw createInvalidError('card_brand', 'must be a brand of this card')
  return match
}

/** Creates the error of a 3DS service, for the test cards that simulate one. */
function createServiceError(session_id: string, source: 'directory' | 'server'): CofferError {
  const isDirectory = source === 'directory'
  return new CofferError(
    'three_ds_failed',
    "The 3DS service returned an error. See the 'error' field for more details.",
    {
      service: {
        service_status: isDirectory ? '502' : '500',
        session_id,
        error_source: isDirectory ? 'Directory Server' : '3DS Server',
        message: isDirectory ? 'The directory server returned an error.' : 'The 3DS server failed.',
        detail: 'This test card simulates this error.',
      },
    },
  )
}
