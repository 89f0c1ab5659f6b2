import type { Draft, DraftKind } from '../../../shared/schemas/draft.ts'
import { keepCurrent } from '../../parts/connection/follow.ts'
import { passOver } from '../../parts/connection/incidents.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { type KeptRequest, keptContent, keptRequestIn } from './kept-request.ts'
import type { Variables } from './request-draft.ts'

/** A kept request with its id and time. */
export type Kept = KeptRequest & { readonly id: string; readonly created_at: string }

/** Who sends requests, and what their placeholders stand for. */
export type Environment = {
  readonly id: string
  readonly name: string
  /** An application's id, or null for the owner. */
  readonly as: string | null
  readonly variables: Variables
}

type Drafts = {
  /** False until they have been read. */
  readonly loaded: boolean
  /** Newest first. */
  readonly sent: readonly Kept[]
  readonly saved: readonly Kept[]
  readonly environments: readonly Environment[]
  /** The id of the environment in force; null for none. */
  readonly environment: string | null
}

export const useDrafts = vaultStore<Drafts>(() => ({
  loaded: false,
  sent: [],
  saved: [],
  environments: [],
  environment: null,
}))

const { getState, setState } = useDrafts
const readings = latest()

async function read(): Promise<void> {
  const isWanted = readings.begin()
  const [sent, saved, environments] = await Promise.all(
    (['sent', 'saved', 'environment'] as const).map(async (kind) => (await vault.drafts.list({ kind })).data),
  )
  if (!isWanted()) return
  setState({
    loaded: true,
    sent: (sent ?? []).flatMap(toKept),
    saved: (saved ?? []).flatMap(toKept).sort((a, b) => (a.name ?? '').localeCompare(b.name ?? '')),
    environments: (environments ?? []).flatMap(toEnvironment).sort((a, b) => a.name.localeCompare(b.name)),
  })
}

/** Keeps what the vault keeps of requests current. */
export const followDrafts = (): (() => void) => keepCurrent(read, ['draft'], 50)

function toKept({ id, content, created_at }: Draft): Kept[] {
  const request = keptRequestIn(content)
  return request ? [{ ...request, id, created_at }] : []
}

function toEnvironment({ id, content }: Draft): Environment[] {
  return [{ ...(JSON.parse(content) as Omit<Environment, 'id'>), id }]
}

/** The variables in force. */
export function variablesIn({
  environments,
  environment,
}: Pick<Drafts, 'environments' | 'environment'>): Variables {
  return environments.find(({ id }) => id === environment)?.variables ?? {}
}

/** Keeps a request that was sent. It was sent whether or not it could be kept. */
export async function keepSent(request: KeptRequest): Promise<void> {
  await vault.drafts.save({ kind: 'sent', content: keptContent(request) }).catch(passOver)
}

/** Saves a request under its name; one with the same name is replaced. */
export async function saveRequest(request: KeptRequest): Promise<void> {
  const known = getState().saved.find(({ name }) => name === request.name)
  await save('saved', keptContent(request), known?.id)
}

/** Saves an environment, and puts it in force. */
export async function saveEnvironment({
  id,
  ...rest
}: Omit<Environment, 'id'> & { id: string | null }): Promise<void> {
  const saved = await save('environment', JSON.stringify(rest), id ?? undefined)
  setState({ environment: saved })
}

async function save(kind: DraftKind, content: string, id: string | undefined): Promise<string> {
  return (await vault.drafts.save({ kind, content, ...(id !== undefined && { id }) })).id
}

/** Deletes a kept request or an environment. */
export async function removeDraft(id: string): Promise<void> {
  await vault.drafts.remove({ id })
  if (getState().environment === id) setState({ environment: null })
}
