import { CofferError } from '../../../shared/errors.ts'
import { settings } from '../../../shared/settings.ts'
import { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/door/call.ts'
import { missingPermission } from './missing-permission.ts'
import type { OwnersEngine } from './owners-engine.ts'
import type { PushJournal } from './push-journal.ts'
import { get, type PushTarget, put, unlessAllForbidden } from './push-request.ts'

/** A setting that was not copied, and why. */
export type LeftSetting = {
  readonly what: 'setting'
  readonly id: string
  readonly name: string
  /** `other_there`: the server has another address to write to, which stays. */
  readonly why: 'unknown_there' | 'only_its_owner' | 'other_there'
}

/** The settings that every server of the interface takes, also where it shows only those that were changed. */
const everywhere: readonly string[] = [
  'deduplicate_tokens',
  'token_deduplication_behavior',
  'disable_ephemeral_proxy',
  'fingerprint_tokens',
]

const compared = z.object({ name: z.string(), settings: z.record(z.string(), z.string()).nullish() })

/**
 * Sets each setting there that is not the default here and differs. Returns those that were not copied. Throws
 * `forbidden` where the key lacks a permission, and what `put` throws.
 */
export async function pushSettings(
  engine: OwnersEngine,
  journal: PushJournal,
  target: PushTarget,
): Promise<LeftSetting[]> {
  const chosen = await chosenSettings(engine)
  if (chosen.length === 0) return []
  const there = await tenantThere(target)
  const known = there.settings ?? {}
  const left: LeftSetting[] = []
  const changed: [string, string][] = []
  for (const [name, value] of chosen) {
    const leave = (why: LeftSetting['why']) => left.push({ what: 'setting', id: name, name, why })
    if (known[name] === value) continue
    if (!(name in known) && !everywhere.includes(name)) leave('unknown_there')
    else if (name === 'keep_exchanges') leave('only_its_owner')
    else changed.push([name, value])
  }
  if (changed.length === 0) return left
  const body = { name: there.name, settings: { ...known, ...Object.fromEntries(changed) } }
  const once = journal.onceFor('setting', JSON.stringify(body))
  const outcome = await put(target, '/tenants/self', once, body)
  unlessAllForbidden(1, missingPermission(target.url, 'tenant:update'))(outcome)
  if (outcome.as === 'created') journal.state.settings.push(...changed.map(([name]) => name))
  for (const [name] of changed) journal.noteRefusal('setting', name, outcome)
  journal.save()
  return left
}

const contact = 'security_contact'

const contactThere = z.object({ email: z.string().nullish() })

/**
 * Sets the security contact where the server has none. Returns it where it was not copied. Throws as `pushSettings`
 * does.
 */
export async function pushSecurityContact(
  engine: OwnersEngine,
  journal: PushJournal,
  target: PushTarget,
): Promise<LeftSetting[]> {
  const email = await securityContact(engine)
  if (email === null) return []
  const left = (why: LeftSetting['why']): LeftSetting[] => [
    { what: 'setting', id: contact, name: contact, why },
  ]
  const path = '/tenants/self/security-contact'
  const there = contactThere.safeParse((await get(target, path, 'tenant:read'))?.json)
  if (!there.success) return left('unknown_there')
  if (there.data.email === email) return []
  if (there.data.email) return left('other_there')
  const outcome = await put(target, path, journal.onceFor('setting', contact), { email })
  unlessAllForbidden(1, missingPermission(target.url, 'tenant:update'))(outcome)
  if (outcome.as === 'created') journal.state.settings.push(contact)
  journal.noteRefusal('setting', contact, outcome)
  journal.save()
  return []
}

async function securityContact(engine: OwnersEngine): Promise<string | null> {
  return (await engine.as(owner).tenants.getSecurityContact()).email
}

/** The names of what is set here of the tenant: settings that are not the default, and the security contact. */
export async function chosenNames(engine: OwnersEngine): Promise<string[]> {
  const names = (await chosenSettings(engine)).map(([name]) => name)
  return (await securityContact(engine)) === null ? names : [...names, contact]
}

/** The settings here that are not the default. */
async function chosenSettings(engine: OwnersEngine): Promise<[name: string, value: string][]> {
  const here = Object.entries((await engine.as(owner).tenants.get()).settings)
  return here.filter(([name, value]) => value !== defaults.get(name))
}

const defaults = new Map(
  Object.entries(settings.parse({})).map(([name, value]): [string, string] => [name, String(value)]),
)

async function tenantThere(target: PushTarget): Promise<z.output<typeof compared>> {
  const answer = await get(target, '/tenants/self', 'tenant:read')
  const parsed = compared.safeParse(answer?.json)
  if (parsed.success) return parsed.data
  throw new CofferError('unavailable', `${target.url} did not answer with its tenant.`)
}
