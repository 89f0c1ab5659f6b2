import type { EntityWith } from '../../../shared/entities.ts'
import { mapConcurrently } from '../../../shared/map-concurrently.ts'
import type { ExportedToken } from '../../../shared/schemas/token-export.ts'
import { owner } from '../../engine/index.ts'
import { listAllApplications } from '../all-applications.ts'
import type { JobWatch } from '../jobs/background.ts'
import { countTokens, exportPages } from './export-tokens.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { OwnersEngine } from './owner-client.ts'
import { pushApplications } from './push-applications.ts'
import { pushDocuments } from './push-documents.ts'
import {
  type ManagedEntity,
  managedEntities,
  managedPlurals,
  type PushedKind,
  PushJournal,
} from './push-journal.ts'
import {
  createForbiddenCheck,
  MAX_CONCURRENT_REQUESTS,
  type PushOutcome,
  type PushTarget,
  pushItem,
} from './push-request.ts'
import { type ReadResources, readManaged, type SkippedResource } from './push-resources.ts'
import { listChosenNames, pushSecurityContact, pushSettings, type SkippedSetting } from './push-settings.ts'

export type PushJob = {
  readonly url: string
  /** A private key of that server that may create tokens. */
  readonly key: string
  /** A management key of that server. Without it, resources that only such a key can create are not copied. */
  readonly management_key?: string | undefined
  readonly state: string
  /** Whether to only report what would be copied. Nothing is then written on either side, and no plaintext is read. */
  readonly preview?: boolean
}

/** Members such as `proxies_created`, and how many of the same name and destination, code or URL the server had. */
type ManagedCounts = Readonly<
  Record<`${(typeof managedPlurals)[ManagedEntity]}_${'created' | 'existing'}`, number>
>

export type PushReport = ManagedCounts & {
  readonly preview: boolean
  readonly resumed: boolean
  readonly applications: number
  /** How many applications the server already had, with the same name, type, permissions and rules. */
  readonly applications_existing: number
  readonly settings: readonly string[]
  readonly documents_created: number
  /** Documents that an earlier push had sent and the server still has. */
  readonly documents_existing: number
  readonly documents: Readonly<Record<string, string>>
  /** Tokens that were created. In a preview, those that would be sent. */
  readonly created: number
  /** Tokens whose id, or whose content under another id, the server already had. They are not changed. */
  readonly existing: number
  readonly refused: number
  /** Ids and statuses of rejected items, over all runs, up to a thousand. */
  readonly refusals: readonly {
    readonly what: PushedKind
    readonly id: string
    readonly status: number
  }[]
  /** The items that were not sent, and why. */
  readonly left_out: readonly SkippedEntry[]
}

type SkippedEntry = SkippedResource | SkippedSetting | NeverSent | EqualToken

/** A token that the server already has under another id, because it stores equal tokens once. */
type EqualToken = {
  readonly what: 'token'
  readonly id: string
  readonly name: string
  readonly why: 'other_id_there'
}

type NeverSent = {
  readonly what: 'application' | ManagedEntity | 'setting' | EntityWith<'pushed', 'reported'>
  readonly id: string
  readonly name: string
  /**
   * `private_key`: the private key of a client encryption key or a wallet's certificate never leaves the vault.
   * `made_by_network`: the networks of the server make its own.
   * `would_be_mailed`: the server may send mail to the invited person.
   * `verified_here`: the cardholder was verified for this vault alone.
   */
  readonly why: 'no_management_key' | 'private_key' | 'made_by_network' | 'would_be_mailed' | 'verified_here'
}

/**
 * The push stops after this many rejections with 403 if no item was accepted before. Fewer may only mean that the key
 * lacks access to the containers of the first tokens.
 */
const MAX_ALL_FORBIDDEN = 20

/**
 * Copies applications (without their keys), proxies, reactors, tokens, documents, settings and webhooks, in plaintext,
 * to a server with the same API. It acts as the owner, who must have confirmed the push. The next run resumes where
 * this one stopped. Throws `forbidden` if a key lacks a permission, and what `pushItem` throws.
 */
export async function pushVault(
  engine: OwnersEngine,
  { url, key, management_key, state, preview = false }: PushJob,
  { signal, onProgress }: JobWatch = {},
): Promise<PushReport> {
  const journal = new PushJournal(state, { tenant_id: engine.tenant_id, url }, { preview })
  // Saved before anything is created, so that a later run does not create it twice.
  if (!journal.resumed) journal.save()
  const left_out: SkippedEntry[] = []
  for (const listReported of Object.values(reported)) left_out.push(...(await listReported(engine)))
  const applications = await listAllApplications(engine)
  const local = await readManaged(engine)
  const target = { url, key, signal, preview }
  const manager = management_key === undefined ? null : { ...target, key: management_key }
  const { webhook: later, ...sooner } = local
  if (manager) {
    const remoteIds = await pushApplications(applications, journal, manager)
    for (const { push } of Object.values(sooner)) left_out.push(...(await push(journal, manager, remoteIds)))
  } else
    left_out.push(...(await withoutManagementKey(engine, { application: { items: applications }, ...local })))
  if (preview) await previewTokens(engine, journal)
  else await pushTokens(engine, journal, target, onProgress)
  await pushDocuments(engine, journal, target)
  if (manager) {
    // Last, so that the settings do not change how the tokens are stored, and webhooks receive no events for the
    // tokens.
    left_out.push(...(await pushSettings(engine, journal, manager)))
    left_out.push(...(await pushSecurityContact(engine, journal, manager)))
    left_out.push(...(await later.push(journal, manager, new Map())))
  }
  for (const id of journal.state.equal) left_out.push({ what: 'token', id, name: id, why: 'other_id_there' })
  journal.completePush()
  return createReport(journal, left_out, preview)
}

async function withoutManagementKey(
  engine: OwnersEngine,
  local: Readonly<Record<'application' | ManagedEntity, Pick<ReadResources, 'items'>>>,
): Promise<NeverSent[]> {
  const why = 'no_management_key'
  const settings = await listChosenNames(engine)
  return [
    ...(['application', ...managedEntities] as const).flatMap((what) =>
      local[what].items.map(({ id, name }) => ({ what, id, name, why }) as const),
    ),
    ...settings.map((name) => ({ what: 'setting', id: name, name, why }) as const),
  ]
}

const reported: Readonly<
  Record<EntityWith<'pushed', 'reported'>, (engine: OwnersEngine) => Promise<NeverSent[]>>
> = {
  client_key: listClientKeys,
  invitation: listInvitations,
  network_token: listNetworkTokens,
  wallet_merchant: listWalletMerchants,
  agent: listAgents,
  enrollment: listEnrollments,
}

async function listClientKeys(engine: OwnersEngine): Promise<NeverSent[]> {
  const why = 'private_key'
  const keys = await engine.as(owner).clientKeys.list()
  return keys.map(({ key_id }) => ({ what: 'client_key', id: key_id, name: key_id, why }))
}

async function listNetworkTokens(engine: OwnersEngine): Promise<NeverSent[]> {
  const why = 'made_by_network'
  const ids = await engine.as(owner).networkTokens.listIds()
  return ids.map((id) => ({ what: 'network_token', id, name: id, why }))
}

async function listWalletMerchants(engine: OwnersEngine): Promise<NeverSent[]> {
  const why = 'private_key'
  const { merchants } = await engine.as(owner).wallets.getOverview()
  return merchants.map(({ id, merchant_identifier: name }) => ({ what: 'wallet_merchant', id, name, why }))
}

async function listAgents(engine: OwnersEngine): Promise<NeverSent[]> {
  const { agents } = await engine.as(owner).agents.getOverview()
  return agents.map(({ id, name }) => ({ what: 'agent', id, name, why: 'verified_here' }))
}

async function listEnrollments(engine: OwnersEngine): Promise<NeverSent[]> {
  const all: NeverSent[] = []
  let cursor: string | undefined
  do {
    const { data, pagination } = await engine.as(owner).enrollments.list({ limit: 100, cursor })
    all.push(...data.map(({ id }) => ({ what: 'enrollment', id, name: id, why: 'verified_here' }) as const))
    cursor = pagination.next_cursor
  } while (cursor !== undefined)
  return all
}

/**
 * Lists the invitations. SECURITY: names each by its id, because neither the log nor the progress file may contain an
 * email address.
 */
async function listInvitations(engine: OwnersEngine): Promise<NeverSent[]> {
  const why = 'would_be_mailed'
  const all: NeverSent[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await engine.as(owner).invitations.list({ page, size: 100 })
    all.push(...data.map(({ id }) => ({ what: 'invitation', id, name: id, why }) as const))
    if (page >= pagination.total_pages) return all
  }
}

/** Counts the tokens that would be sent. They are not checked one by one, because a preview reads no plaintext. */
async function previewTokens(engine: OwnersEngine, { state }: PushJournal): Promise<void> {
  const done = state.created + state.existing + state.refused
  state.created = Math.max(0, (await countTokens(engine)) - done)
}

async function pushTokens(
  engine: OwnersEngine,
  journal: PushJournal,
  target: PushTarget,
  onProgress: JobWatch['onProgress'],
): Promise<void> {
  const total = await countTokens(engine)
  const { created, existing, refused } = journal.state
  let done = created + existing + refused
  const isTaken = created + existing > 0
  const check = createForbiddenCheck(
    isTaken ? Number.POSITIVE_INFINITY : Math.min(MAX_ALL_FORBIDDEN, total),
    createMissingPermissionError(
      target.url,
      'token:create',
      ', or its rules cover none of the containers of these tokens',
    ),
  )
  const pushToken = async (token: ExportedToken) => {
    const outcome = await pushItem(target, '/tokens', journal.getIdempotencyKey('token', token.id), token)
    check(outcome)
    onProgress?.(++done, total)
    return outcome
  }
  for await (const { tokens, next } of exportPages(engine, true, journal.state.after)) {
    const outcomes = await mapConcurrently(tokens as ExportedToken[], MAX_CONCURRENT_REQUESTS, pushToken)
    for (const [at, { id }] of tokens.entries()) recordToken(journal, id, outcomes[at])
    if (next !== null) journal.state.after = next
    journal.save()
  }
}

function recordToken(journal: PushJournal, id: string, outcome: PushOutcome | undefined): void {
  if (!outcome) return
  const isEqual = outcome.as === 'created' && outcome.id !== undefined && outcome.id !== id
  journal.state[isEqual ? 'existing' : outcome.as]++
  if (isEqual) journal.recordEqual(id)
  journal.recordRefusal('token', id, outcome)
}

function createReport(
  { resumed, state }: PushJournal,
  left_out: readonly SkippedEntry[],
  preview: boolean,
): PushReport {
  const { applications, applications_existing, settings } = state
  const { documents_created, documents_existing, documents } = state
  const { created, existing, refused, refusals } = state
  return {
    preview,
    resumed,
    applications: applications.length,
    applications_existing,
    ...(Object.fromEntries(
      managedEntities.flatMap((each) => [
        [`${managedPlurals[each]}_created`, state[each].created],
        [`${managedPlurals[each]}_existing`, state[each].existing],
      ]),
    ) as ManagedCounts),
    settings,
    documents_created,
    documents_existing,
    documents: preview ? {} : documents,
    created,
    existing,
    refused,
    refusals,
    left_out,
  }
}
