import type { Engine } from '../../electron/engine/engine.ts'
import { createTokens } from '../../electron/host/initial-data/create-tokens.ts'
import type { Find, TokenSort } from '../../shared/find.ts'
import { summarizeTimes, type Times } from './measure.ts'
import { createVariedTokens } from './varied-tokens.ts'
import { type BenchVault, changeVault, owner } from './vault.ts'

/** The time of searches in a vault, in milliseconds per response. */
export type Finds = {
  readonly tokens: number
  readonly create_rate: number
  /** The time to create and index tokens, divided by the time to create them. */
  readonly of_create: number
  readonly index_seconds: number
  readonly rows: readonly FindRow[]
}

type FindRow = Times & { readonly what: string; readonly found: number; readonly first: number }

const RUNS = 15

/** Searches that people make, and combinations that no single index covers. */
const searches: readonly (readonly [what: string, find: Find, sort: TokenSort])[] = [
  ['last four, typed', { text: '4242' }, 'newest'],
  ['beginning of a value', { text: 'cus_77' }, 'newest'],
  ['value nobody has', { text: 'nobody has this' }, 'container'],
  ['beginning of most values', { text: 'cus_' }, 'newest'],
  ['a type, typed', { text: 'card' }, 'container'],
  ['pair, few', { metadata: [{ key: 'customer', value: 'CUS_4242' }] }, 'container'],
  ['pair, half of all', { metadata: [{ key: 'plan', value: 'gold' }] }, 'container'],
  ['pair and last four', { metadata: [{ key: 'plan', value: 'gold' }], last4: '4242' }, 'oldest'],
  [
    'pair, type, container',
    { metadata: [{ key: 'plan', value: 'gold' }], type: 'card', container: '/pci/' },
    'newest',
  ],
  [
    'two dense pairs that never meet',
    {
      metadata: [
        { key: 'plan', value: 'gold' },
        { key: 'plan', value: 'free' },
      ],
    },
    'newest',
  ],
  ['all, newest', {}, 'newest'],
]

/** Fills a vault, waits for its index, and measures one response for each search. */
export async function measureFinds(vault: BenchVault, tokens: number): Promise<Finds> {
  let result: Finds | undefined
  await changeVault(vault, async (engine) => {
    const startedAt = performance.now()
    const refused = await createTokens(engine, createVariedTokens(0, tokens))
    if (refused.length > 0) throw new Error(`A token was refused: ${refused[0]?.detail}`)
    const created = performance.now()
    await waitForIndex(engine)
    const ended = performance.now()
    vault.tokens = tokens
    const rows = await measureSearches(engine)
    result = {
      tokens,
      create_rate: tokens / ((created - startedAt) / 1000),
      of_create: (ended - startedAt) / (created - startedAt),
      index_seconds: (ended - created) / 1000,
      rows,
    }
  })
  if (!result) throw new Error('Nothing was measured.')
  return result
}

/** Waits until the index of terms is complete. */
export async function waitForIndex(engine: Engine): Promise<void> {
  for (;;) {
    const { building } = await engine.as(owner).tokens.find({ find: {}, sort: 'newest', size: 1 })
    if (!building) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Measures each search in milliseconds of this process's processor time: its first page, and its count. */
export async function measureFindCpu(engine: Pick<Engine, 'as'>): Promise<Record<string, number>> {
  const { tokens } = engine.as(owner)
  const cpu: Record<string, number> = {}
  for (const [what, find, sort] of searches) {
    cpu[`find: ${what}`] = await measureCpu(() => tokens.find({ find, sort, size: 100 }))
    cpu[`count: ${what}`] = await measureCpu(() => tokens.findCount({ find }))
  }
  return cpu
}

/** The minimum processor time to measure. The clock is too coarse for a single response. */
const MIN_MEASURED_MS = 100

async function measureCpu(run: () => Promise<unknown>): Promise<number> {
  const startedAt = process.cpuUsage()
  for (let count = 1; ; count++) {
    await run()
    const { user, system } = process.cpuUsage(startedAt)
    if ((user + system) / 1000 > MIN_MEASURED_MS) return (user + system) / 1000 / count
  }
}

/** Runs each search a number of times. */
export async function measureSearches(engine: Pick<Engine, 'as'>): Promise<FindRow[]> {
  const rows: FindRow[] = []
  for (const [what, find, sort] of searches) rows.push(await measureSearch(engine, what, find, sort))
  return rows
}

async function measureSearch(
  engine: Pick<Engine, 'as'>,
  what: string,
  find: Find,
  sort: TokenSort,
): Promise<FindRow> {
  const client = engine.as(owner)
  const times: number[] = []
  const measureTime = async <T>(run: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const result = await run()
    times.push(performance.now() - startedAt)
    return result
  }
  let found = 0
  for (let run = 0; run < RUNS; run++) {
    await measureTime(() => client.tokens.find({ find, sort, size: 100 }))
    found = (await measureTime(() => client.tokens.findCount({ find }))).total
    await measureTime(() => client.tokens.findIds({ find, size: 5000 }))
    if (find.text !== undefined) await measureTime(() => client.tokens.suggest({ text: find.text ?? '' }))
  }
  const [first = 0] = times
  return { what, found, first, ...summarizeTimes(times) }
}
