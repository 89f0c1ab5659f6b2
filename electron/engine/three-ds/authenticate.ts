import { CofferError, invalid } from '../../../shared/errors.ts'
import type { AuthenticationRequest, DeviceInfo } from '../../../shared/schemas/three-ds.ts'
import { creatorId } from '../access/actor.ts'
import type { Context } from '../door/context.ts'
import { brandName } from './brands.ts'
import { type Authenticated, type Content, openContent, sealContent } from './content.ts'
import type { Opened } from './present.ts'
import { asksDecoupled, requireForAuthentication } from './requirements.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { findThreeDs, type ThreeDsRow, updateThreeDs } from './store.ts'
import { toldOf } from './told.ts'

/** How long a session lasts (rule S-01). */
export const LIFE_MS = 24 * 60 * 60 * 1000
const MINUTE_MS = 60_000

/** Returns a session. Throws `not_found` if there is none, or it has expired. */
export function requireThreeDs(context: Context, id: string): Opened {
  context.about(id)
  const row = findThreeDs(context.db, id, context.now)
  if (!row) throw noSession()
  return { row, content: openContent(context, row) }
}

export function noSession(): CofferError {
  return new CofferError('not_found', 'There is no such 3D Secure session, or it has expired.')
}

/** Stores what has become of a session, and returns it. */
export function keepContent(context: Context, row: ThreeDsRow, content: Content): Opened {
  const until = content.authenticated?.decoupled.until
  const kept: ThreeDsRow = {
    ...row,
    content: sealContent(context, row.id, content),
    modified_by: context.actor.kind === 'cardholder' ? row.modified_by : creatorId(context.actor),
    modified_at: context.now,
    expires_at: Math.max(row.expires_at, until ? until + LIFE_MS : 0),
  }
  updateThreeDs(context.db, kept)
  return { row: kept, content }
}

/**
 * Authenticates a session once, and tells webhooks (rule S-01). Throws `invalid` where a member is missing or the session
 * has been authenticated before, and `three_ds_failed` for a card whose directory or server fails.
 */
export function authenticate(
  context: Context,
  { row, content }: Opened,
  request: AuthenticationRequest,
  device_info: DeviceInfo | null = content.device_info,
): Opened & { readonly authenticated: Authenticated } {
  if (content.authenticated) throw invalid('id', 'names a session that has been authenticated already')
  requireForAuthentication(request, content.type)
  const brand = brandOf(content, request.card_brand)
  const scenario: Scenario = scenarios[content.scenario]
  if (scenario.error) throw failure(row.id, scenario.error)
  const { merchant_info, purchase_info, message_extensions = [], metadata } = request
  const asked = asksDecoupled(request, content.type)
  const minutes = request.decoupled_challenge_max_time ?? 0
  const authenticated: Authenticated = {
    brand,
    at: context.now,
    decoupled: { asked, until: asked && scenario.challenge ? context.now + minutes * MINUTE_MS : null },
    challenge_preference: request.challenge_preference ?? null,
    message_extensions,
    merchant: merchant_info?.name ?? null,
    purchase: purchaseOf(purchase_info),
    choice: null,
  }
  const opened = keepContent(context, row, {
    ...content,
    device_info,
    base_url: content.base_url || context.base_url,
    metadata: metadata ?? content.metadata,
    request: null,
    authenticated,
  })
  context.tell('3ds.session.authenticated', () => ({ session: toldOf(context, opened, 'authenticated') }))
  return { ...opened, authenticated }
}

function purchaseOf(info: AuthenticationRequest['purchase_info']): Authenticated['purchase'] {
  const { amount, currency, exponent } = info ?? {}
  return amount && currency && exponent ? { amount, currency, exponent } : null
}

/** The brand a payment takes: the first, or the one that the merchant chose of a card with several. */
function brandOf({ brand, additional_brands }: Content, chosen: string | undefined): string {
  if (chosen === undefined) return brand
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')
  const found = [brand, ...additional_brands].find((each) =>
    [plain(each), plain(brandName(each))].includes(plain(chosen)),
  )
  if (!found) throw invalid('card_brand', 'must be a brand of this card')
  return found
}

/** The failure of a service beyond the vault, which a test card stands for. */
function failure(session_id: string, source: 'directory' | 'server'): CofferError {
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
        detail: 'This test card stands for this error.',
      },
    },
  )
}
