import { isDeepStrictEqual } from 'node:util'
import { toCofferError } from '../../electron/engine/db/storage-error.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import type { Caller } from '../../electron/engine/pipeline/call.ts'
import { CofferError } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'

const owner: Caller = { kind: 'owner' }

/**
 * A standard script of writes, run repeatedly on one vault. It remembers the acknowledged writes and then compares
 * the vault with them. A write whose commit failed must have no effect.
 */
export class FaultScript {
  readonly #kept = new Map<string, Json>()
  readonly problems: string[] = []
  refusals = 0
  readonly #clear_codes: readonly string[]
  #round = 0

  /** `codes` are the errors allowed when storage fails. Any other error is a bug. */
  constructor(codes: readonly string[] = ['storage_full', 'unavailable']) {
    this.#clear_codes = codes
  }

  /** Runs the script once. Returns how many of its writes were rejected. */
  async run(engine: Engine, master: Buffer): Promise<number> {
    const before = this.refusals
    const round = this.#round++
    const callOperation = (name: string, input: object) => engine.call(name, input, owner)
    const createId = (part: string) => `${part}-${round}`
    const createLargeText = (text: string) => `${text} ${round} `.repeat(600)
    const createToken = (part: string, data: Json) =>
      this.attempt(
        () => callOperation('tokens.create', { id: createId(part), type: 'token', data }),
        () => this.#kept.set(createId(part), data),
      )
    await createToken('small', { a: round })
    await createToken('large', createLargeText('made'))
    const change = this.#kept.has(createId('small')) ? { b: createLargeText('changed') } : undefined
    if (change) {
      await this.attempt(
        () => callOperation('tokens.update', { id: createId('small'), data: change }),
        () => this.#kept.set(createId('small'), { a: round, ...change }),
      )
    }
    // These writes are committed together.
    await Promise.all([1, 2, 3].map((each) => createToken(`part${each}`, createLargeText(`part ${each}`))))
    // Either all of these are created or none.
    const several = ['x', 'y', 'z'].map((part) => ({
      id: createId(part),
      type: 'token',
      data: createLargeText(part),
    }))
    await this.attempt(
      () => callOperation('tokens.tokenize', { payload: several }),
      () => {
        for (const each of several) this.#kept.set(each.id, each.data)
      },
    )
    if (this.#kept.has(createId('large'))) {
      await this.attempt(
        () => callOperation('tokens.remove', { id: createId('large') }),
        () => this.#kept.delete(createId('large')),
      )
    }
    await this.attempt(() => engine.lifecycle.rotateDataKey(master))
    await this.attempt(async () => engine.outcomes.flushLog())
    return this.refusals - before
  }

  /**
   * Checks on working storage that acknowledged writes are present and rejected ones absent, that a key rotation
   * completes, and that everything from earlier rounds can be removed.
   */
  async check(engine: Engine, master: Buffer, about: string): Promise<void> {
    if (engine.lifecycle.isRotating) await engine.lifecycle.rotateDataKey(master)
    const foundIds = new Set<string>()
    let start: string | undefined
    do {
      const { output } = await engine.call('tokens.list', { size: 100, ...(start && { start }) }, owner)
      const page = output as { data: { id: string }[]; pagination: { next?: string } }
      for (const token of page.data) foundIds.add(token.id)
      start = page.pagination.next
    } while (start !== undefined)
    for (const [id, kept] of this.#kept) {
      if (!foundIds.delete(id)) {
        this.problems.push(`${about}: ${id} is lost`)
        continue
      }
      const { output } = await engine.call('tokens.reveal', { id }, owner)
      if (!isDeepStrictEqual((output as { data: Json }).data, kept)) {
        this.problems.push(`${about}: ${id} is not what was answered`)
      }
    }
    for (const id of foundIds) this.problems.push(`${about}: ${id} was refused and is there`)
    await this.#clear(engine)
  }

  /** Removes the results of earlier rounds, so that every round starts with about the same amount of data. */
  async #clear(engine: Engine): Promise<void> {
    const last = `-${this.#round - 1}`
    for (const id of [...this.#kept.keys()].filter((each) => !each.endsWith(last))) {
      await engine.call('tokens.remove', { id }, owner)
      this.#kept.delete(id)
    }
  }

  /** Runs an action that storage may reject, and calls `answered` if it succeeds. */
  async attempt(act: () => Promise<unknown>, answered: () => void = () => {}): Promise<void> {
    try {
      await act()
      answered()
    } catch (error) {
      this.refusals++
      const { code, message } = toCofferError(error)
      if (!(error instanceof CofferError) || !this.#clear_codes.includes(code)) {
        this.problems.push(`refused with ${code}: ${message}`)
      }
    }
  }
}
