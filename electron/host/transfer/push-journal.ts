import { hash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import type { EntityWith } from '../../../shared/entities.ts'
import { CofferError } from '../../../shared/errors.ts'
import { z } from '../../../shared/zod.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import type { PushOutcome } from './push-request.ts'

/** An entity that a push creates with a management key, after the applications. */
export type ManagedEntity = Exclude<EntityWith<'pushed'>, 'application' | 'token' | 'document'>

/** The plural in paths and reports, in the order in which they are reported. */
export const managedPlurals = {
  proxy: 'proxies',
  reactor: 'reactors',
  merchant: 'merchants',
  webhook: 'webhooks',
} as const satisfies Readonly<Record<ManagedEntity, string>>
export const managedEntities = Object.keys(managedPlurals) as ManagedEntity[]

const pushedKind = z.enum(['application', ...managedEntities, 'setting', 'token', 'document'])
export type PushedKind = z.output<typeof pushedKind>

const MAX_REFUSALS = 1000

/** The ids of the processed items, and their counts. */
const progress = z
  .strictObject({
    done: z.array(z.string()).default([]),
    created: z.int().default(0),
    existing: z.int().default(0),
  })
  .prefault({})

const state = z.strictObject({
  /** The prefix of every idempotency key, so that the server creates nothing twice. */
  push_id: z.string(),
  tenant_id: z.string(),
  url: z.string(),
  /**
   * Whether the push has finished. The next push starts from the beginning, but skips documents that were already sent.
   */
  complete: z.boolean().default(false),
  applications: z.array(z.string()).default([]),
  /** How many applications existed on the server already. */
  applications_existing: z.int().default(0),
  ...(Object.fromEntries(managedEntities.map((each) => [each, progress])) as Record<
    ManagedEntity,
    typeof progress
  >),
  settings: z.array(z.string()).default([]),
  documents: z.record(z.string(), z.string()).default({}),
  /** The position up to which documents were sent, in the order of creation. */
  documents_after: z.int().default(0),
  documents_created: z.int().default(0),
  documents_existing: z.int().default(0),
  after: z.int().default(0),
  created: z.int().default(0),
  existing: z.int().default(0),
  refused: z.int().default(0),
  /** Ids of the tokens that the server has under another id, at most a thousand. */
  equal: z.array(z.string()).default([]),
  /** The first rejections, over all runs. */
  refusals: z.array(z.strictObject({ what: pushedKind, id: z.string(), status: z.int() })).default([]),
})
type PushState = z.output<typeof state>
type PushJournalTarget = Pick<PushState, 'tenant_id' | 'url'>

/** The progress of a push. The file holds ids and counts, never data or keys. */
export class PushJournal {
  readonly #file: string
  readonly #isPersistent: boolean
  readonly resumed: boolean
  state: PushState

  /**
   * Resumes the push of this vault to this server, or starts one. A preview writes no file. Throws `conflict` if the
   * file belongs to another push.
   */
  constructor(file: string, target: PushJournalTarget, { preview }: { readonly preview: boolean }) {
    this.#file = file
    this.#isPersistent = !preview
    const { tenant_id, url } = target
    const before = readState(file)
    if (before && (before.tenant_id !== tenant_id || before.url !== url)) {
      throw new CofferError('conflict', `${file} belongs to another push. Name another file with --state.`)
    }
    this.resumed = before !== undefined && !before.complete
    this.state = before?.complete
      ? createState(target, before.documents)
      : (before ?? createState(target, {}))
  }

  /**
   * Returns the idempotency key of an item in this push. The key is a hash, because an id may contain characters that
   * are not allowed in a header.
   */
  getIdempotencyKey(what: PushedKind, id: string): string {
    return hash('sha256', JSON.stringify([this.state.push_id, what, id]))
  }

  /** Records an item that was rejected, up to a thousand. */
  recordRefusal(what: PushedKind, id: string, outcome: PushOutcome): void {
    const { refusals } = this.state
    if (outcome.as !== 'refused' || refusals.length >= MAX_REFUSALS) return
    refusals.push({ what, id, status: outcome.status })
  }

  /** Records a token that the server has under another id, up to a thousand. */
  recordEqual(id: string): void {
    if (this.state.equal.length < MAX_REFUSALS) this.state.equal.push(id)
  }

  save(): void {
    if (this.#isPersistent) writeAtomically(this.#file, JSON.stringify(this.state))
  }

  /** Marks the push as complete. Keeps the ids of documents for the next push, because a server cannot list them. */
  completePush(): void {
    if (!this.#isPersistent) return
    this.state.complete = true
    if (Object.keys(this.state.documents).length > 0) this.save()
    else fs.rmSync(this.#file, { force: true })
  }
}

function createState({ tenant_id, url }: PushJournalTarget, documents: PushState['documents']): PushState {
  return state.parse({ push_id: randomUUID(), tenant_id, url, documents })
}

function readState(file: string): PushState | undefined {
  if (!fs.existsSync(file)) return undefined
  try {
    return state.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch (error) {
    throw new CofferError('conflict', `${file} is not the state of a push. Name another file with --state.`, {
      cause: error,
    })
  }
}
