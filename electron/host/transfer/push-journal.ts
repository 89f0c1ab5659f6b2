import { hash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import type { Outcome } from './push-request.ts'

const what = z.enum(['application', 'proxy', 'token', 'document'])
export type Pushed = z.output<typeof what>

const MOST_REFUSALS = 1000

const state = z.strictObject({
  /** The start of every idempotency key, so that nothing is created twice there. */
  push_id: z.string(),
  tenant_id: z.string(),
  url: z.string(),
  applications: z.array(z.string()),
  /** How many of these existed already. */
  applications_existing: z.int().default(0),
  proxies: z.array(z.string()).default([]),
  proxies_created: z.int().default(0),
  proxies_existing: z.int().default(0),
  /** Documents that were sent, in the order of creation: up to this place. */
  documents_after: z.int().default(0),
  documents_created: z.int().default(0),
  after: z.int(),
  created: z.int(),
  existing: z.int(),
  refused: z.int(),
  /** The first refusals, over all runs. */
  refusals: z.array(z.strictObject({ what, id: z.string(), status: z.int() })).default([]),
})
export type PushState = z.output<typeof state>

/** The progress of a push. The file holds ids and counts, never data or keys. */
export class PushJournal {
  readonly #file: string
  readonly resumed: boolean
  state: PushState

  /**
   * Resumes the push of this vault to this server, or starts one. Throws `conflict` where the file belongs to another
   * push.
   */
  constructor(file: string, { tenant_id, url }: Pick<PushState, 'tenant_id' | 'url'>) {
    this.#file = file
    const before = read(file)
    if (before && (before.tenant_id !== tenant_id || before.url !== url)) {
      throw new CofferError('conflict', `${file} belongs to another push. Name another file with --state.`)
    }
    this.resumed = before !== undefined
    this.state = before ?? {
      push_id: randomUUID(),
      tenant_id,
      url,
      applications: [],
      applications_existing: 0,
      proxies: [],
      proxies_created: 0,
      proxies_existing: 0,
      documents_after: 0,
      documents_created: 0,
      after: 0,
      created: 0,
      existing: 0,
      refused: 0,
      refusals: [],
    }
  }

  /** The idempotency key of an item in this push. Hashed, because ids may contain what a header cannot. */
  onceFor(what: Pushed, id: string): string {
    return hash('sha256', JSON.stringify([this.state.push_id, what, id]))
  }

  /** Notes an item that was refused, up to a thousand. */
  noteRefusal(what: Pushed, id: string, outcome: Outcome): void {
    const { refusals } = this.state
    if (outcome.as !== 'refused' || refusals.length >= MOST_REFUSALS) return
    refusals.push({ what, id, status: outcome.status })
  }

  /** Throws `unavailable`, `storage_full`. */
  save(): void {
    writeAtomically(this.#file, JSON.stringify(this.state))
  }

  /** The push is complete. */
  remove(): void {
    fs.rmSync(this.#file, { force: true })
  }
}

function read(file: string): PushState | undefined {
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
