import type { ChildProcess } from 'node:child_process'
import type { Engine } from '../../electron/engine/engine.ts'
import { createTokens } from '../../electron/host/first-data/create-tokens.ts'
import type { Busy } from './busy-probe.ts'
import { type FindRow, indexed } from './finds.ts'
import { serve } from './growth.ts'
import type { Load, Measured } from './load.ts'
import { type Effort, median } from './measure.ts'
import { ask } from './processes.ts'
import { wire } from './requests.ts'
import { few, fewContainer, idOfFew, terms, variedTokens } from './varied-tokens.ts'
import { type BenchVault, changeVault, owner } from './vault.ts'

/** What an answer costs in a vault of so many tokens: milliseconds of the server's processor time. */
export type VariedSize = { readonly tokens: number; readonly cpu: Readonly<Record<string, number>> }

/** Keys whose access takes more to decide than one rule on everything. */
export type VariedKeys = {
  readonly conditions: string
  readonly few_by_id: string
  readonly few_by_container: string
  readonly many_rules: string
  readonly one_container: string
}

const permissions = ['token:read', 'token:search']

/** Fills the vault to one size after another and measures what access and searches take at each. */
export async function measureVaried(
  vault: BenchVault,
  sizes: readonly number[],
  effort: Effort,
  say: (text: string) => void,
): Promise<{ sizes: VariedSize[]; keys: VariedKeys }> {
  let keys: VariedKeys | undefined
  const results: VariedSize[] = []
  for (const tokens of sizes) {
    await changeVault(vault, async (engine) => {
      keys ??= await makeKeys(engine, vault.keys.mask)
      const refused = await createTokens(engine, variedTokens(vault.tokens, tokens))
      if (refused.length > 0) throw new Error(`A token was refused: ${refused[0]?.detail}`)
      await indexed(engine)
    })
    vault.tokens = tokens
    say(`${tokens.toLocaleString('en')} varied tokens`)
    if (!keys) throw new Error('No keys were made.')
    const requests = variedRequests(vault, keys)
    const { result } = await serve(vault, async ({ port, load, coffer }) => {
      const cpu = await cpuOf(coffer, load, port, requests(port), effort)
      const finds = await ask<FindRow[]>(coffer, { ask: 'find' })
      return { ...cpu, ...Object.fromEntries(finds.map(({ what, p50 }) => [`find: ${what}`, p50])) }
    })
    results.push({ tokens, cpu: result })
  }
  if (!keys) throw new Error('Nothing was measured.')
  return { sizes: results, keys }
}

/** Sessions with conditions, and applications with one rule or a hundred. */
async function makeKeys(engine: Engine, authorizer: string): Promise<VariedKeys> {
  const application = async (type: string, grants: object) => {
    const { output } = await engine.call('applications.create', { name: type, type, ...grants }, owner)
    return (output as { key: string }).key
  }
  const shop = await application('public', { permissions: ['token:create'] })
  const session = async (...conditions: object[]) => {
    const caller = (key: string) => ({ kind: 'key', key }) as const
    const started = await engine.call('sessions.create', {}, caller(shop))
    const { session_key, nonce } = started.output as { session_key: string; nonce: string }
    const rule = { priority: 1, transform: 'mask', permissions: ['token:read'], conditions }
    const expires_at = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString()
    await engine.call('sessions.authorize', { nonce, rules: [rule], expires_at }, caller(authorizer))
    return session_key
  }
  const rule = (priority: number, container: string) => ({
    priority,
    container,
    transform: 'mask',
    permissions,
  })
  const others = Array.from({ length: 99 }, (_, at) => rule(at + 1, `/other-${at}/`))
  return {
    conditions: await session({ attribute: 'container', operator: 'starts_with', value: '/pci/' }),
    few_by_id: await session({ attribute: 'id', operator: 'starts_with', value: 'one-of-few-' }),
    few_by_container: await session({ attribute: 'container', operator: 'equals', value: fewContainer }),
    many_rules: await application('private', { rules: [...others, rule(100, '/pci/')] }),
    one_container: await application('private', { rules: [rule(1, fewContainer)] }),
  }
}

/** Every request that is measured, by the name it is shown under. */
export function variedRequests(
  { keys: { mask } }: BenchVault,
  { conditions, few_by_id, few_by_container, many_rules, one_container }: VariedKeys,
): (port: number) => Record<string, string[]> {
  const ids = Array.from({ length: few }, (_, at) => idOfFew(at))
  const all = ids.length - 1
  const pairs = [
    'metadata.plan:gold',
    ...Array.from({ length: terms - 1 }, (_, at) => `metadata.term_${at}:few`),
  ]
  return (port) => {
    const get = (key: string, path: string) => wire({ key, method: 'GET', path }, port)
    const post = (key: string, path: string, body: unknown) => wire({ key, method: 'POST', path, body }, port)
    const list = (key: string, query = '') => [get(key, `/v2/tokens?size=20${query}`)]
    const search = (key: string, query: string) => [post(key, '/tokens/search', { query, size: 20 })]
    return {
      'get by a session with conditions': ids.map((id) => get(few_by_id, `/tokens/${id}`)),
      'list by a session with conditions': list(conditions),
      'list by conditions on ids, few': list(few_by_id),
      'list by conditions on containers, few': list(few_by_container),
      'list v1 by conditions on ids, few': [get(few_by_id, '/tokens?size=20')],
      'list, masks of their own': list(mask, `&container=${fewContainer}`),
      'list by 100 rules': list(many_rules),
      'list by 100 rules and type': list(many_rules, '&type=card'),
      'list by metadata that half of all have': list(mask, '&metadata.plan=gold'),
      'list by metadata, in a container with few': list(one_container, '&metadata.plan=gold'),
      'list v1': [get(mask, '/tokens?size=20')],
      'list v1 by 100 rules': [get(many_rules, '/tokens?size=20')],
      'list v1, one container with few': [get(one_container, '/tokens?size=20')],
      'list v1 by ids': [
        get(
          mask,
          `/tokens?size=20&${ids
            .slice(0, all)
            .map((id) => `id=${id}`)
            .join('&')}`,
        ),
      ],
      'search v1, 20 terms': search(mask, pairs.join(' AND ')),
      'search v1, 20 terms by 100 rules': search(many_rules, pairs.join(' AND ')),
      'search v1, a pair of few': search(mask, 'metadata.term_1:few'),
    }
  }
}

/** The processor time of an answer over one connection: the middle of some runs, taken in turns. */
async function cpuOf(
  coffer: ChildProcess,
  load: ChildProcess,
  port: number,
  requests: Readonly<Record<string, string[]>>,
  { warm_ms, run_ms, runs }: Effort,
): Promise<Record<string, number>> {
  const times = new Map(Object.keys(requests).map((name) => [name, [] as number[]]))
  for (let round = 0; round <= runs; round++) {
    for (const [name, each] of Object.entries(requests)) {
      await ask<Busy>(coffer, 'busy')
      const ms = round === 0 ? warm_ms : run_ms
      const measured = await ask<Measured>(load, { port, connections: 1, ms, requests: each } satisfies Load)
      const { cpu } = await ask<Busy>(coffer, 'busy')
      if (measured.failed > 0 && round === 0) process.stderr.write(`${name}: ${measured.failed} answers were not 2xx.\n`)
      if (round > 0) times.get(name)?.push(cpu / measured.requests)
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]))
}
