import fc from 'fast-check'
import { expect, test } from 'vitest'
import { processJobs } from '../../../electron/http/account-updater/process-jobs.ts'
import { getFuzzParameters } from '../../fuzz.ts'
import { openVault } from '../../vault.ts'
import type { TestVault } from '../vault-helpers.ts'

const minute = 60 * 1000
const WAIT_MS = 20 * minute
/** The jobs that the steps of a run share. */
const JOBS = 4

const rows = { unknown: 'ERR_INVALID_TOKEN', current: 'NO_UPDATE', renewed: 'UPD_PAN' } as const
type RowKind = keyof typeof rows

/** What a job of the account updater is expected to be. */
type JobModel = {
  readonly id: string
  readonly upload_key: string
  readonly created_at: number
  readonly rows: RowKind[]
  parts: number
  status: 'pending' | 'processing' | 'completed' | 'failed'
  requests: number
  active_at: number
}

/** The jobs of a vault, which every step changes in the vault and here. */
class UpdaterModel {
  readonly #vault: TestVault
  readonly #tokens: Readonly<Record<RowKind, string>>
  readonly jobs: JobModel[] = []
  #opened_at: number

  constructor(vault: TestVault, tokens: Readonly<Record<RowKind, string>>) {
    this.#vault = vault
    this.#tokens = tokens
    this.#opened_at = vault.clock.now()
  }

  get #operations() {
    return this.#vault.owner.accountUpdaterJobs
  }

  #isGone({ status, created_at }: JobModel): boolean {
    return status === 'pending' && this.#vault.clock.now() >= created_at + 60 * minute
  }

  /** The status that an upload is answered. */
  #getUploadStatus(job: JobModel): number {
    if (this.#isGone(job)) return 404
    return job.status === 'pending' ? 200 : 409
  }

  async createJob(): Promise<void> {
    if (this.jobs.length === JOBS) return
    const { id, upload_url } = await this.#operations.create({ deduplicate_tokens: true })
    const upload_key = upload_url.slice(upload_url.lastIndexOf('/') + 1)
    const now = this.#vault.clock.now()
    const empty = { rows: [], parts: 0, requests: 0, active_at: now, status: 'pending' } as const
    this.jobs.push({ id, upload_key, created_at: now, ...empty, rows: [] })
  }

  async uploadPart(job: JobModel, kinds: readonly RowKind[]): Promise<void> {
    const lines = [...(job.parts === 0 ? ['token'] : []), ...kinds.map((kind) => this.#tokens[kind])]
    const status = this.#getUploadStatus(job)
    const { upload_key, parts: number } = job
    expect(await getStatus(this.#operations.putPart({ upload_key, number, lines }))).toBe(status)
    if (status !== 200) return
    job.rows.push(...kinds)
    job.parts++
  }

  async completeUpload(job: JobModel): Promise<void> {
    const status = this.#getUploadStatus(job)
    const { upload_key, parts } = job
    expect(await getStatus(this.#operations.completeUpload({ upload_key, parts }))).toBe(status)
    if (status !== 200) return
    job.status = 'processing'
    job.active_at = this.#vault.clock.now()
  }

  /** A call processes rows for a moment, so that only the vault knows how many. */
  async processRows(job: JobModel): Promise<void> {
    if (this.#isGone(job)) return
    const { is_done } = await this.#operations.updateSome({ id: job.id })
    const { requests = 0 } = await this.#operations.get({ id: job.id })
    expect(requests).toBeGreaterThanOrEqual(job.requests)
    expect(is_done).toBe(job.status !== 'processing' || (await this.#readStatus(job)) === 'completed')
    if (job.status !== 'processing') return
    if (is_done) job.status = 'completed'
    job.requests = requests
    job.active_at = this.#vault.clock.now()
  }

  async #readStatus({ id }: JobModel) {
    return (await this.#operations.get({ id })).status
  }

  async sweepVault(): Promise<void> {
    await this.#vault.engine.sweeper.sweep()
    const before = this.#vault.clock.now() - 10 * minute
    if (this.#opened_at > before) return
    for (const job of this.jobs)
      if (job.status === 'processing' && job.active_at < before) job.status = 'failed'
  }

  reopenVault(): void {
    this.#vault.engine.close()
    this.#vault.reopen()
    this.#opened_at = this.#vault.clock.now()
  }

  /** Finishes every job, as the host does when it opens a vault. */
  async finishJobs(): Promise<void> {
    await processJobs(() => this.#operations)
    for (const job of this.jobs) {
      if (job.status !== 'processing') continue
      job.status = 'completed'
      job.requests = job.rows.length
    }
  }

  /** Compares each job with the vault: its status, its counts, and the lines of its results. */
  async checkJobs(): Promise<void> {
    for (const job of this.jobs) {
      const { id, status } = job
      if (this.#isGone(job)) {
        expect(await getStatus(this.#operations.get({ id }))).toBe(404)
        continue
      }
      const shown = await this.#operations.get({ id })
      expect(shown).toMatchObject({ id, status, ...(status !== 'pending' && { requests: job.requests }) })
      if (status === 'completed') await this.#checkResults(job, shown)
      else expect(shown).not.toHaveProperty('download_url')
    }
    const there = this.jobs.filter((job) => !this.#isGone(job)).map(({ id }) => id)
    expect((await this.#operations.list({})).data.map(({ id }) => id)).toEqual(there.toReversed())
  }

  async #checkResults(
    job: JobModel,
    { results, download_url = '' }: { results?: object | undefined; download_url?: string | undefined },
  ): Promise<void> {
    const counts: Record<string, number> = {}
    for (const kind of job.rows) counts[rows[kind]] = (counts[rows[kind]] ?? 0) + 1
    expect([results, job.requests]).toEqual([counts, job.rows.length])
    const download_key = download_url.slice(download_url.lastIndexOf('/') + 1)
    let text = ''
    for (let from: number | null = 0; from !== null; ) {
      const part: { text: string; next: number | null } = await this.#operations.readResults({
        download_key,
        from,
      })
      text += part.text
      from = part.next
    }
    const tokens = job.rows.filter((kind) => kind !== 'current').map((kind) => this.#tokens[kind])
    const lines = text.trimEnd().split('\n').slice(1)
    expect(lines.map((line) => line.split(',')[0])).toEqual(tokens)
  }
}

async function getStatus(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 200,
    (error) => error.status,
  )
}

const actions = [
  'createJob',
  'uploadPart',
  'completeUpload',
  'processRows',
  'sweepVault',
  'wait',
  'reopenVault',
  'finishJobs',
] as const
type JobStep = {
  readonly action: (typeof actions)[number]
  readonly at: number
  readonly kinds: readonly RowKind[]
}

async function runStep(vault: TestVault, model: UpdaterModel, { action, at, kinds }: JobStep): Promise<void> {
  if (action === 'wait') return vault.clock.advance(WAIT_MS)
  const job = model.jobs[at]
  if (action === 'uploadPart') return job && model.uploadPart(job, kinds)
  if (action === 'completeUpload' || action === 'processRows') return job && model[action](job)
  return model[action]()
}

test('Z-03 random life cycles of account updater jobs follow the model', async () => {
  const step: fc.Arbitrary<JobStep> = fc.record({
    // More of what makes a job, so that most runs complete some.
    action: fc.constantFrom(
      ...actions,
      'createJob',
      'uploadPart',
      'uploadPart',
      'completeUpload',
      'processRows',
    ),
    at: fc.nat(JOBS - 1),
    kinds: fc.array(fc.constantFrom<RowKind>('unknown', 'current', 'renewed'), { maxLength: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const vault = openVault()
      const createCard = async (number: string) => {
        const data = { number, expiration_month: 12, expiration_year: 2023 }
        return (await vault.owner.tokens.create({ type: 'card', data })).id
      }
      const model = new UpdaterModel(vault, {
        unknown: 'unknown',
        current: await createCard('4242424242424242'),
        renewed: await createCard('4111111111111111'),
      })
      for (const each of steps) {
        await runStep(vault, model, each)
        await model.checkJobs()
      }
      model.reopenVault()
      await model.finishJobs()
      await model.checkJobs()
      vault.engine.close()
    }),
    getFuzzParameters(100, 5),
  )
})
