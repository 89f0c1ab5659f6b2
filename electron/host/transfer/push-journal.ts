import { hash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { z } from '../../../shared/zod.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import type { PushOutcome } from './push-request.ts'

const pushedKind = z.enum(['application', 'proxy', 'reactor', 'webhook', 'setting', 'token', 'document'])
export type PushedKind = z.output<typeof pushedKind>

const MAX_REFUSALS = 1000

/** The ids of what was dealt with, and how. */
const progress = z
  .strictObject({
    done: z.array(z.string()).default([]),
    created: z.int().default(0),
    existing: z.int().default(0),
  })
  .prefault({})

const state = z.strictObject({
  /** The start of every idempotency key, so that nothing is created twice there. */
  push_id: z.string(),
  tenant_id: z.string(),
  url: z.string(),
  /** Nothing is left to do: the next push begins anew, and knows the documents. */
  complete: z.boolean().default(false),
  applications: z.array(z.string()).default([]),
  /** How many of these existed already. */
  applications_existing: z.int().default(0),
  proxy: progress,
  reactor: progress,
  webhook: progress,
  /** The names of settings that were changed there. */
  settings: z.array(z.string()).default([]),
  /** The id there of each document that was sent. */
  documents: z.record(z.string(), z.string()).default({}),
  /** Documents that were sent, in the order of creation: up to this place. */
  documents_after: z.int().default(0),
  documents_created: z.int().default(0),
  documents_existing: z.int().default(0),
  after: z.int().default(0),
  created: z.int().default(0),
  existing: z.int().default(0),
  refused: z.int().default(0),
  /** The first tokens that the server has under another id. */
  equal: z.array(z.string()).default([]),
  /** The first refusals, over all runs. */
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
   * Resumes the push of this vault to this server, or starts one; a preview writes no file. Throws `conflict` where the
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

  /** The idempotency key of an item in this push. Hashed, because ids may contain what a header cannot. */
  getIdempotencyKey(what: PushedKind, id: string): string {
    return hash('sha256', JSON.stringify([this.state.push_id, what, id]))
  }

  /** Notes an item that was refused, up to a thousand. */
  recordRefusal(what: PushedKind, id: string, outcome: PushOutcome): void {
    const { refusals } = this.state
    if (outcome.as !== 'refused' || refusals.length >= MAX_REFUSALS) return
    refusals.push({ what, id, status: outcome.status })
  }

  /** Notes a token that the server has under another id, up to a thousand. */
  recordEqual(id: string): void {
    if (this.state.equal.length < MAX_REFUSALS) this.state.equal.push(id)
  }

  /** Throws `unavailable`, `storage_full`. */
  save(): void {
    if (this.#isPersistent) writeAtomically(this.#file, JSON.stringify(this.state))
  }

  /** The push is complete. The ids of documents are kept for the next one, because a server cannot be asked for them. */
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
    throw new CofferError(
      'conflict',
      `${file} does not hold the state of a push. Name another file with --state.`,
      {
        cause: error,
      },
    )
  }
}
