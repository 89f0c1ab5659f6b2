import type { Draft, DraftKind } from '../../../shared/schemas/draft.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import type { Variables } from './request-draft.ts'
import { parseSnapshot, type RequestSnapshot, serializeSnapshot } from './request-snapshot.ts'

export type StoredRequest = RequestSnapshot & { readonly id: string; readonly created_at: string }

/** The application that sends requests, and the values of placeholders. */
export type Environment = {
  readonly id: string
  readonly name: string
  /** An application's id, or null for the owner. */
  readonly as: string | null
  readonly variables: Variables
}

type DraftsState = {
  readonly loaded: boolean
  /** Newest first. */
  readonly sent: readonly StoredRequest[]
  readonly saved: readonly StoredRequest[]
  readonly environments: readonly Environment[]
  /** The id of the selected environment; null for none. */
  readonly environment: string | null
}

export const useDrafts = createVaultStore<DraftsState>(() => ({
  loaded: false,
  sent: [],
  saved: [],
  environments: [],
  environment: null,
}))

const { getState, setState } = useDrafts
const latestLoad = createRequestGuard()

async function loadDrafts(): Promise<void> {
  const isCurrent = latestLoad.start()
  const [sent, saved, environments] = await Promise.all(
    (['sent', 'saved', 'environment'] as const).map(async (kind) => (await vault.drafts.list({ kind })).data),
  )
  if (!isCurrent()) return
  setState({
    loaded: true,
    sent: (sent ?? []).flatMap(toStoredRequest),
    saved: (saved ?? []).flatMap(toStoredRequest).sort((a, b) => (a.name ?? '').localeCompare(b.name ?? '')),
    environments: (environments ?? []).flatMap(toEnvironment).sort((a, b) => a.name.localeCompare(b.name)),
  })
}

export async function loadSent(): Promise<readonly StoredRequest[]> {
  return (await vault.drafts.list({ kind: 'sent' })).data.flatMap(toStoredRequest)
}

/** Reloads the stored requests and environments whenever they change. Returns a function that unsubscribes. */
export const followDrafts = (): (() => void) => keepCurrent(loadDrafts, ['draft'], 50)

function toStoredRequest({ id, content, created_at }: Draft): StoredRequest[] {
  const request = parseSnapshot(content)
  return request ? [{ ...request, id, created_at }] : []
}

function toEnvironment({ id, content }: Draft): Environment[] {
  return [{ ...(JSON.parse(content) as Omit<Environment, 'id'>), id }]
}

export function getVariables({
  environments,
  environment,
}: Pick<DraftsState, 'environments' | 'environment'>): Variables {
  return environments.find(({ id }) => id === environment)?.variables ?? {}
}

/** Stores a request that was sent. If storing fails, no error is shown, because the request itself was sent. */
export async function storeSent(request: RequestSnapshot): Promise<void> {
  await vault.drafts.save({ kind: 'sent', content: serializeSnapshot(request) }).catch(handleBackgroundError)
}

/** Saves a request under its name, replacing an earlier one of that name. */
export async function saveRequest(request: RequestSnapshot): Promise<void> {
  const known = getState().saved.find(({ name }) => name === request.name)
  await saveDraft('saved', serializeSnapshot(request), known?.id)
}

export async function saveEnvironment({
  id,
  ...rest
}: Omit<Environment, 'id'> & { id: string | null }): Promise<void> {
  const saved = await saveDraft('environment', JSON.stringify(rest), id ?? undefined)
  setState({ environment: saved })
}

async function saveDraft(kind: DraftKind, content: string, id: string | undefined): Promise<string> {
  return (await vault.drafts.save({ kind, content, ...(id !== undefined && { id }) })).id
}

/** Deletes a stored request or an environment. If the environment was selected, none is selected afterwards. */
export async function removeDraft(id: string): Promise<void> {
  await vault.drafts.remove({ id })
  if (getState().environment === id) setState({ environment: null })
}
