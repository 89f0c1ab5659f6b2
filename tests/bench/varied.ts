import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import type { Engine } from '../../electron/engine/engine.ts'
import { createTokens } from '../../electron/host/initial-data/create-tokens.ts'
import type { Busy } from './busy-probe.ts'
import { waitForIndex } from './finds.ts'
import type { Load, LoadResult } from './load.ts'
import { computeMedian, type Effort } from './measure.ts'
import { askChild, startModule, stopChild } from './processes.ts'
import { formatRequest } from './requests.ts'
import { createVariedTokens, FEW_CONTAINER, FEW_TOKENS, getFewId, TERMS } from './varied-tokens.ts'
import { type BenchVault, changeVault, owner } from './vault.ts'

/** The cost of a response in a vault with this many tokens: milliseconds of the server's processor time. */
export type VariedSize = { readonly tokens: number; readonly cpu: Readonly<Record<string, number>> }

/** Keys whose access takes longer to decide than that of a key with one rule for all containers. */
export type VariedKeys = {
  readonly conditions: string
  readonly few_by_id: string
  readonly few_by_container: string
  readonly many_rules: string
  readonly one_container: string
}

const permissions = ['token:read', 'token:search']

/**
 * Fills the vault to one size after another and keeps a copy of each. Then measures all of them in alternation, so that
 * other load on the machine affects all alike.
 */
export async function measureVaried(
  vault: BenchVault,
  sizes: readonly number[],
  effort: Effort,
  print: (text: string) => void,
): Promise<{ sizes: VariedSize[]; keys: VariedKeys }> {
  let keys: VariedKeys | undefined
  const copies: string[] = []
  for (const tokens of sizes) {
    await changeVault(vault, async (engine) => {
      keys ??= await createVariedKeys(engine, vault.keys.mask)
      const refused = await createTokens(engine, createVariedTokens(vault.tokens, tokens))
      if (refused.length > 0) throw new Error(`A token was refused: ${refused[0]?.detail}`)
      await waitForIndex(engine)
    })
    vault.tokens = tokens
    print(`${tokens.toLocaleString('en')} varied tokens`)
    const copy = `${vault.dataDir}-${tokens}`
    fs.cpSync(vault.dataDir, copy, { recursive: true })
    copies.push(copy)
  }
  if (!keys) throw new Error('Nothing was measured.')
  const load = startModule('load.ts')
  const servers: VariedServer[] = []
  for (const copy of copies) {
    const coffer = startModule('coffer.ts', [copy])
    servers.push({ coffer, port: (await askChild<{ port: number }>(coffer)).port })
  }
  const measured = await measureInTurns(servers, load, buildVariedRequests(vault, keys), effort)
  await Promise.all([load, ...servers.map(({ coffer }) => coffer)].map(stopChild))
  return { sizes: sizes.map((tokens, at) => ({ tokens, cpu: measured[at] ?? {} })), keys }
}

type VariedServer = { readonly coffer: ChildProcess; readonly port: number }

/** Creates sessions with conditions, and applications with one rule or a hundred. */
async function createVariedKeys(engine: Engine, authorizer: string): Promise<VariedKeys> {
  const createApplication = async (type: string, grants: object) => {
    const { output } = await engine.call('applications.create', { name: type, type, ...grants }, owner)
    return (output as { key: string }).key
  }
  const shop = await createApplication('public', { permissions: ['token:create'] })
  const createSession = async (...conditions: object[]) => {
    const toCaller = (key: string) => ({ kind: 'key', key }) as const
    const started = await engine.call('sessions.create', {}, toCaller(shop))
    const { session_key, nonce } = started.output as { session_key: string; nonce: string }
    const rule = { priority: 1, transform: 'mask', permissions: ['token:read'], conditions }
    const expires_at = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString()
    await engine.call('sessions.authorize', { nonce, rules: [rule], expires_at }, toCaller(authorizer))
    return session_key
  }
  const buildRule = (priority: number, container: string) => ({
    priority,
    container,
    transform: 'mask',
    permissions,
  })
  const others = Array.from({ length: 99 }, (_, at) => buildRule(at + 1, `/other-${at}/`))
  return {
    conditions: await createSession({ attribute: 'container', operator: 'starts_with', value: '/pci/' }),
    few_by_id: await createSession({ attribute: 'id', operator: 'starts_with', value: 'one-of-few-' }),
    few_by_container: await createSession({
      attribute: 'container',
      operator: 'equals',
      value: FEW_CONTAINER,
    }),
    many_rules: await createApplication('private', { rules: [...others, buildRule(100, '/pci/')] }),
    one_container: await createApplication('private', { rules: [buildRule(1, FEW_CONTAINER)] }),
  }
}

/** Every measured request, by its name in the output. */
export function buildVariedRequests(
  { keys: { mask } }: BenchVault,
  { conditions, few_by_id, few_by_container, many_rules, one_container }: VariedKeys,
): (port: number) => Record<string, string[]> {
  const ids = Array.from({ length: FEW_TOKENS }, (_, at) => getFewId(at))
  const pairs = [
    'metadata.plan:gold',
    ...Array.from({ length: TERMS - 1 }, (_, at) => `metadata.term_${at}:few`),
  ]
  return (port) => {
    const buildGet = (key: string, path: string) => formatRequest({ key, method: 'GET', path }, port)
    const buildPost = (key: string, path: string, body: unknown) =>
      formatRequest({ key, method: 'POST', path, body }, port)
    const buildList = (key: string, query = '') => [buildGet(key, `/v2/tokens?size=20${query}`)]
    const buildSearch = (key: string, query: string) => [
      buildPost(key, '/tokens/search', { query, size: 20 }),
    ]
    return {
      'get by a session with conditions': ids.map((id) => buildGet(few_by_id, `/tokens/${id}`)),
      'list by a session with conditions': buildList(conditions),
      'list by conditions on ids, few': buildList(few_by_id),
      'list by conditions on containers, few': buildList(few_by_container),
      'list v1 by conditions on ids, few': [buildGet(few_by_id, '/tokens?size=20')],
      'list, masks of their own': buildList(mask, `&container=${FEW_CONTAINER}`),
      'list by 100 rules': buildList(many_rules),
      'list by 100 rules and type': buildList(many_rules, '&type=card'),
      'list by metadata that half of all have': buildList(mask, '&metadata.plan=gold'),
      'list by metadata, in a container with few': buildList(one_container, '&metadata.plan=gold'),
      'list v1': [buildGet(mask, '/tokens?size=20')],
      'list v1 by 100 rules': [buildGet(many_rules, '/tokens?size=20')],
      'list v1, one container with few': [buildGet(one_container, '/tokens?size=20')],
      'list v1 by ids': [buildGet(mask, `/tokens?size=20&${ids.map((id) => `id=${id}`).join('&')}`)],
      'search v1, 20 terms': buildSearch(mask, pairs.join(' AND ')),
      'search v1, 20 terms by 100 rules': buildSearch(many_rules, pairs.join(' AND ')),
      'search v1, a pair of few': buildSearch(mask, 'metadata.term_1:few'),
    }
  }
}

/** Measures the processor time of every response of each server: the median of some runs over one connection. */
async function measureInTurns(
  servers: readonly VariedServer[],
  load: ChildProcess,
  requests: ReturnType<typeof buildVariedRequests>,
  { warm_ms, run_ms, runs }: Effort,
): Promise<Record<string, number>[]> {
  const times = servers.map(() => new Map<string, number[]>())
  const addTime: AddTime = (at, name, ms) => {
    const all = times[at]?.get(name) ?? []
    all.push(ms)
    times[at]?.set(name, all)
  }
  const each = servers.map((server) => ({ ...server, requests: requests(server.port) }))
  await measureRound(each, load, warm_ms, () => {})
  for (let run = 0; run < runs; run++) await measureRound(each, load, run_ms, addTime)
  return times.map((names) => Object.fromEntries([...names].map(([name, all]) => [name, computeMedian(all)])))
}

type AddTime = (at: number, name: string, ms: number) => void
type VariedLoad = VariedServer & { readonly requests: Readonly<Record<string, string[]>> }

/** Measures every response and every search of each server once, and adds the times by the server's position. */
async function measureRound(
  servers: readonly VariedLoad[],
  load: ChildProcess,
  ms: number,
  addTime: AddTime,
): Promise<void> {
  for (const name of Object.keys(servers[0]?.requests ?? {})) {
    for (const [at, server] of servers.entries()) addTime(at, name, await measureCpu(server, load, name, ms))
  }
  for (const [at, { coffer }] of servers.entries()) {
    const finds = await askChild<Record<string, number>>(coffer, { ask: 'find' })
    for (const [name, cpu] of Object.entries(finds)) addTime(at, name, cpu)
  }
}

/** Measures the processor time of one response, in ms. */
async function measureCpu(
  { coffer, port, requests }: VariedLoad,
  load: ChildProcess,
  name: string,
  ms: number,
): Promise<number> {
  const order: Load = { port, connections: 1, ms, requests: requests[name] ?? [] }
  await askChild<Busy>(coffer, 'busy')
  const measured = await askChild<LoadResult>(load, order)
  const { cpu } = await askChild<Busy>(coffer, 'busy')
  if (measured.failed > 0) throw new Error(`${name}: ${measured.failed} answers were not 2xx.`)
  return cpu / measured.requests
}
