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
  async play(engine: Engine, master: Buffer): Promise<number> {
    const before = this.refusals
    const round = this.#round++
    const call = (name: string, input: object) => engine.call(name, input, owner)
    const id = (part: string) => `${part}-${round}`
    const large = (text: string) => `${text} ${round} `.repeat(600)
    const create = (part: string, data: Json) =>
      this.attempt(
        () => call('tokens.create', { id: id(part), type: 'token', data }),
        () => this.#kept.set(id(part), data),
      )
    await create('small', { a: round })
    await create('large', large('made'))
    const change = this.#kept.has(id('small')) ? { b: large('changed') } : undefined
    if (change) {
      await this.attempt(
        () => call('tokens.update', { id: id('small'), data: change }),
        () => this.#kept.set(id('small'), { a: round, ...change }),
      )
    }
    // These writes are committed together.
    await Promise.all([1, 2, 3].map((each) => create(`part${each}`, large(`part ${each}`))))
    // Either all of these are created or none.
    const several = ['x', 'y', 'z'].map((part) => ({ id: id(part), type: 'token', data: large(part) }))
    await this.attempt(
      () => call('tokens.tokenize', { payload: several }),
      () => {
        for (const each of several) this.#kept.set(each.id, each.data)
      },
    )
    if (this.#kept.has(id('large'))) {
      await this.attempt(
        () => call('tokens.remove', { id: id('large') }),
        () => this.#kept.delete(id('large')),
      )
    }
    await this.attempt(() => engine.rotateDataKey(master))
    await this.attempt(async () => engine.flushLog())
    return this.refusals - before
  }

  /**
   * Checks on working storage that acknowledged writes are present and rejected ones absent, that a key rotation
   * completes, and that everything from earlier rounds can be removed.
   */
  async check(engine: Engine, master: Buffer, about: string): Promise<void> {
    if (engine.isRotating) await engine.rotateDataKey(master)
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
