import { CofferError } from '../../../shared/errors.ts'
import { settings } from '../../../shared/settings.ts'
import { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/index.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { OwnersEngine } from './owner-client.ts'
import type { PushJournal } from './push-journal.ts'
import { createForbiddenCheck, getJson, type PushTarget, putItem } from './push-request.ts'

/** A setting that was not copied, and why. */
export type SkippedSetting = {
  readonly what: 'setting'
  readonly id: string
  readonly name: string
  /** `other_there`: the server has another security contact, which stays. */
  readonly why: 'unknown_there' | 'only_its_owner' | 'other_there'
}

/** The settings that every server of the API accepts, even a server that lists only changed settings. */
const everywhere: readonly string[] = [
  'deduplicate_tokens',
  'token_deduplication_behavior',
  'disable_ephemeral_proxy',
  'fingerprint_tokens',
]

const compared = z.object({
  id: z.string(),
  name: z.string(),
  settings: z.record(z.string(), z.string()).nullish(),
})

/**
 * Sets each setting that is not the default in this vault and differs on the server. Returns those that were not
 * copied. Throws `forbidden` if the key lacks a permission, and what `putItem` throws.
 */
export async function pushSettings(
  engine: OwnersEngine,
  journal: PushJournal,
  target: PushTarget,
): Promise<SkippedSetting[]> {
  const chosen = await listChosenSettings(engine)
  if (chosen.length === 0) return []
  const remote = await fetchRemoteTenant(target)
  const remoteSettings = remote.settings ?? {}
  const skipped: SkippedSetting[] = []
  const changed: [string, string][] = []
  for (const [name, value] of chosen) {
    const skip = (why: SkippedSetting['why']) => skipped.push({ what: 'setting', id: name, name, why })
    if (remoteSettings[name] === value) continue
    if (!(name in remoteSettings) && !everywhere.includes(name)) skip('unknown_there')
    else if (name === 'keep_exchanges') skip('only_its_owner')
    else changed.push([name, value])
  }
  if (changed.length === 0) return skipped
  const body = { name: remote.name, settings: { ...remoteSettings, ...Object.fromEntries(changed) } }
  const once = journal.getIdempotencyKey('setting', JSON.stringify(body))
  const outcome = await putItem(target, '/tenants/self', once, body)
  createForbiddenCheck(1, createMissingPermissionError(target.url, 'tenant:update'))(outcome)
  if (outcome.as === 'created') journal.state.settings.push(...changed.map(([name]) => name))
  for (const [name] of changed) journal.recordRefusal('setting', name, outcome)
  journal.save()
  return skipped
}

const SECURITY_CONTACT = 'security_contact'

const remoteContact = z.object({ email: z.string().nullish() })

/**
 * Sets the security contact if the server has none. If the contact was not copied, returns it with the reason. Throws
 * as `pushSettings` does.
 */
export async function pushSecurityContact(
  engine: OwnersEngine,
  journal: PushJournal,
  target: PushTarget,
): Promise<SkippedSetting[]> {
  const email = await readSecurityContact(engine)
  if (email === null) return []
  const skipContact = (why: SkippedSetting['why']): SkippedSetting[] => [
    { what: 'setting', id: SECURITY_CONTACT, name: SECURITY_CONTACT, why },
  ]
  const path = '/tenants/self/security-contact'
  const remote = remoteContact.safeParse((await getJson(target, path, 'tenant:read'))?.json)
  if (!remote.success) return skipContact('unknown_there')
  if (remote.data.email === email) return []
  if (remote.data.email) return skipContact('other_there')
  const outcome = await putItem(target, path, journal.getIdempotencyKey('setting', SECURITY_CONTACT), {
    email,
  })
  createForbiddenCheck(1, createMissingPermissionError(target.url, 'tenant:update'))(outcome)
  if (outcome.as === 'created') journal.state.settings.push(SECURITY_CONTACT)
  journal.recordRefusal('setting', SECURITY_CONTACT, outcome)
  journal.save()
  return []
}

async function readSecurityContact(engine: OwnersEngine): Promise<string | null> {
  return (await engine.as(owner).tenants.getSecurityContact()).email
}

/**
 * Lists the names of what the owner has set for the tenant: settings that are not the default, and the security
 * contact.
 */
export async function listChosenNames(engine: OwnersEngine): Promise<string[]> {
  const names = (await listChosenSettings(engine)).map(([name]) => name)
  return (await readSecurityContact(engine)) === null ? names : [...names, SECURITY_CONTACT]
}

async function listChosenSettings(engine: OwnersEngine): Promise<[name: string, value: string][]> {
  const localSettings = Object.entries((await engine.as(owner).tenants.get()).settings)
  return localSettings.filter(([name, value]) => value !== defaults.get(name))
}

const defaults = new Map(
  Object.entries(settings.parse({})).map(([name, value]): [string, string] => [name, String(value)]),
)

/** Fetches the tenant of the server. Throws `unavailable` if there is none, and what `getJson` throws. */
export async function fetchRemoteTenant(target: PushTarget): Promise<z.output<typeof compared>> {
  const response = await getJson(target, '/tenants/self', 'tenant:read')
  const parsed = compared.safeParse(response?.json)
  if (parsed.success) return parsed.data
  throw new CofferError('unavailable', `${target.url} did not return its tenant.`)
}
