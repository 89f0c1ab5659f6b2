import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { Engine } from '../../electron/engine/engine.ts'
import { createTokens, type NewTokenInput } from '../../electron/host/initial-data/create-tokens.ts'
import { openListener } from '../../electron/http/listener.ts'
import { measureLongestBlock } from '../longest-block.ts'

/** How long one kind of request blocked all others. */
export type Block = {
  readonly what: string
  /** The longest time between two turns of the event loop, in ms of processor time. */
  readonly block: number
  readonly status: number
  /** The length of the response in bytes, and the peak memory of the process. */
  readonly bytes: number
  readonly rss_mb: number
}

/** One request, or several in parallel. */
type BlockRequest = {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body?: unknown
  readonly times?: number
}

const MiB = 2 ** 20
const owner = { kind: 'owner' } as const

/**
 * Measures the longest block of every read request that is known to be expensive (rule R-03), over HTTP, with the
 * client in its own thread.
 */
export async function measureBlocks(
  folder: string,
  tokens: number,
  print: (text: string) => void,
): Promise<Block[]> {
  const blocks: Block[] = []
  const client = new BlockClient()
  try {
    for (const [name, scene] of Object.entries(scenes)) {
      print(`  ${name}`)
      const stage = await Stage.open(path.join(folder, name.replaceAll(' ', '-')))
      try {
        const requests = await scene(stage, tokens)
        for (const [what, request] of Object.entries(requests)) {
          const { result, block } = await measureLongestBlock(() => client.sendRequest(stage.url, request))
          const rss_mb = Math.round(process.memoryUsage().rss / MiB)
          blocks.push({ what: `${name}: ${what}`, block, ...result, rss_mb })
        }
      } finally {
        await stage.close()
      }
    }
    return blocks
  } finally {
    await client.close()
  }
}

/** A vault with an open listener. */
class Stage {
  static async open(folder: string): Promise<Stage> {
    fs.mkdirSync(folder, { recursive: true })
    const engine = Engine.create(
      path.join(folder, 'vault.db'),
      randomBytes(32),
      { tenant_id: randomUUID(), name: 'Blocks' },
      { now: Date.now },
    )
    const listener = await openListener({ engine: () => engine, port: 0, origins: [], hosts: [] })
    return new Stage(engine, listener)
  }

  readonly engine: Engine
  readonly #listener: Awaited<ReturnType<typeof openListener>>

  private constructor(engine: Engine, listener: Awaited<ReturnType<typeof openListener>>) {
    this.engine = engine
    this.#listener = listener
  }

  get url(): string {
    return this.#listener.url
  }

  async close(): Promise<void> {
    await this.#listener.close()
    this.engine.close()
  }

  async fill(tokens: Iterable<NewTokenInput>): Promise<void> {
    let batch: NewTokenInput[] = []
    let size = 0
    for (const each of tokens) {
      batch.push(each)
      size += 200 + (typeof each.data === 'string' ? each.data.length : JSON.stringify(each.data).length)
      if (size < 4 * MiB && batch.length < 1000) continue
      await this.#createBatch(batch)
      batch = []
      size = 0
    }
    await this.#createBatch(batch)
  }

  async #createBatch(batch: NewTokenInput[]): Promise<void> {
    if (batch.length > 100) {
      const [refused] = await createTokens(this.engine, batch)
      if (refused) throw new Error(`A token was refused: ${refused.detail}`)
    } else for (const each of batch) await this.engine.call('tokens.create', each, owner)
  }

  async createKey(
    transform: 'reveal' | 'mask',
    type: 'private' | 'public' | 'management' = 'private',
  ): Promise<string> {
    const permissions = ['token:read', 'token:search', 'token:create', 'token-intent:read']
    const grants =
      type === 'private'
        ? { rules: [{ priority: 1, container: '/', transform, permissions }] }
        : {
            permissions:
              type === 'public'
                ? ['token:create']
                : ['application:read', 'application:create', 'log:read', 'tenant:read'],
          }
    const input = { name: 'Key', type, ...grants }
    return ((await this.engine.call('applications.create', input, owner)).output as { key: string }).key
  }

  /** Creates a session that a private key has authorized with these rules. */
  async createSession(rules: unknown): Promise<string> {
    const start = await this.engine.call(
      'sessions.create',
      {},
      { kind: 'key', key: await this.createKey('mask', 'public') },
    )
    const { session_key, nonce } = start.output as { session_key: string; nonce: string }
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    await this.engine.call(
      'sessions.authorize',
      { nonce, rules, expires_at },
      { kind: 'key', key: await this.createKey('mask') },
    )
    return session_key
  }
}

const buildGet = (path: string, key: string, times = 1): BlockRequest => ({ method: 'GET', path, key, times })
const buildPost = (path: string, key: string, body: unknown, times = 1): BlockRequest => ({
  method: 'POST',
  path,
  key,
  body,
  times,
})

/** The lists that contain tokens. */
function buildLists(key: string): Record<string, BlockRequest> {
  return {
    'GET /v2/tokens': buildGet('/v2/tokens?size=100', key),
    'GET /tokens': buildGet('/tokens?size=100', key),
    'POST /v2/tokens/search': buildPost('/v2/tokens/search', key, { size: 100 }),
    'POST /tokens/search': buildPost('/tokens/search', key, { size: 100 }),
    'GET /v2/tokens, four at once': buildGet('/v2/tokens?size=100', key, 4),
  }
}

type Scene = (stage: Stage, tokens: number) => Promise<Record<string, BlockRequest>>

const scenes: Record<string, Scene> = {
  async 'tokens of 2 MiB'(stage) {
    const text = 'x'.repeat(2 * MiB - 500)
    const ids = Array.from({ length: 120 }, (_, at) => `large-${at}`)
    await stage.engine.call(
      'tenants.update',
      { name: 'Blocks', settings: { expressions_per_detokenize: '1000' } },
      owner,
    )
    await stage.fill(ids.map((id) => ({ id, type: 'token', data: text, mask: '{{ data | last4 }}' })))
    const reveal = await stage.createKey('reveal')
    const mask = await stage.createKey('mask')
    return {
      ...buildLists(reveal),
      'GET /v2/tokens, masked': buildGet('/v2/tokens?size=100', mask),
      'GET /tokens/{id}': buildGet('/tokens/large-7', reveal),
      'POST /detokenize, 100 of them': buildPost(
        '/detokenize',
        reveal,
        ids.slice(0, 100).map((id) => `{{ ${id} | size }}`),
      ),
      'POST /detokenize, 1,000 of one': buildPost(
        '/detokenize',
        reveal,
        Array.from({ length: 1000 }, () => '{{ large-7 | size }}'),
      ),
    }
  },
  async 'structures of 2 MiB'(stage) {
    const structures: Record<string, unknown> = {
      lists: Array.from({ length: 690_000 }, () => []),
      objects: Array.from({ length: 280_000 }, () => ({ a: 1 })),
      numbers: Array.from({ length: 1_000_000 }, () => 1),
      strings: Array.from({ length: 500_000 }, () => 'a'),
      members: Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`m${at}`, 1])),
      words: Array.from({ length: 4000 }, () => 'a"\\\n'.repeat(60)),
    }
    await stage.fill(
      Object.entries(structures).flatMap(([name, data]) =>
        [0, 1, 2, 3].map((at) => ({
          id: `${name}-${at}`,
          type: 'token',
          data: data as never,
          mask: 'hidden',
        })),
      ),
    )
    const reveal = await stage.createKey('reveal')
    return {
      ...buildLists(reveal),
      ...Object.fromEntries(
        Object.keys(structures).map((name) => [`GET, ${name}`, buildGet(`/tokens/${name}-0`, reveal)]),
      ),
    }
  },
  async 'tokens of 20 kB'(stage) {
    const text = 'x'.repeat(20_000)
    await stage.fill(Array.from({ length: 400 }, () => ({ type: 'token', data: text })))
    return buildLists(await stage.createKey('reveal'))
  },
  async 'heavy masks'(stage) {
    const text = 'a1 b2,'.repeat(10_000)
    const mask = Array.from({ length: 11 }, () => '{{ data | upcase | size }}')
    await stage.fill(Array.from({ length: 120 }, () => ({ type: 'token', data: text, mask })))
    const key = await stage.createKey('mask')
    return buildLists(key)
  },
  async 'masks over structures'(stage) {
    const data = Array.from({ length: 50_000 }, (_, at) => at)
    const mask = Array.from({ length: 2 }, () => '{{ data | last4 }}')
    await stage.fill(Array.from({ length: 20 }, (_, at) => ({ id: `wide-${at}`, type: 'token', data, mask })))
    const key = await stage.createKey('mask')
    return { ...buildLists(key), 'GET /tokens/{id}': buildGet('/tokens/wide-7', key) }
  },
  async 'many tokens'(stage, tokens) {
    const pairs = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, 'v']))
    const tagged = Math.min(tokens / 10, 10_000)
    await stage.fill(
      (function* () {
        for (let at = 0; at < tokens; at++)
          yield {
            type: 'token',
            data: `${at}`,
            ...(at < tagged && { metadata: pairs, search_indexes: ['same'] }),
          }
      })(),
    )
    const permissions = ['token:read', 'token:search']
    const condition = { attribute: 'id', operator: 'starts_with', value: 'nothing-begins-so' }
    const one = await stage.createSession([
      { priority: 1, conditions: [condition], transform: 'mask', permissions },
    ])
    const many = await stage.createSession(
      Array.from({ length: 100 }, (_, at) => ({
        priority: at + 1,
        conditions: [
          ...Array.from({ length: 19 }, () => ({
            attribute: 'container',
            operator: 'starts_with',
            value: '/',
          })),
          condition,
        ],
        transform: 'mask',
        permissions,
      })),
    )
    const key = await stage.createKey('mask')
    const all = Object.entries(pairs).map(([name, value]) => `metadata.${name}:${value}`)
    const query = all.join(' AND ')
    const buildSessionLists = (name: string, session: string) => ({
      [`GET /v2/tokens, ${name}`]: buildGet('/v2/tokens?size=1', session),
      [`GET /tokens, ${name}`]: buildGet('/tokens?size=1', session),
      [`POST /v2/tokens/search, ${name}`]: buildPost('/v2/tokens/search', session, {
        query: 'type:token',
        size: 1,
      }),
      [`POST /tokens/search, ${name}`]: buildPost('/tokens/search', session, { size: 1 }),
    })
    return {
      ...buildSessionLists('a session with one condition', one),
      ...buildSessionLists('a session with 2,000 conditions', many),
      'POST /tokens/search, 50 metadata terms': buildPost('/tokens/search', key, { query }),
      'POST /tokens/search, one metadata term': buildPost('/tokens/search', key, { query: all[0] }),
      'POST /tokens/search, one index': buildPost('/tokens/search', key, { query: 'data:same' }),
      'GET /tokens, last page': buildGet(`/tokens?size=100&page=${Math.floor(tokens / 100)}`, key),
      'GET /tokens, 2,000 ids': buildGet(
        `/tokens?${Array.from({ length: 300 }, () => `id=${randomUUID()}`).join('&')}`,
        key,
      ),
    }
  },
  async 'the log'(stage) {
    const key = await stage.createKey('mask', 'management')
    const { engine } = stage
    // The key is valid, because requests with an invalid key share one log record.
    for (let at = 0; at < 40_000; at++)
      engine.outcomes.recordOutcome(
        'tokens.get',
        { kind: 'key', key },
        { status: 404, note: 'gone' },
        {},
        { id: `${at}-${'x'.repeat(350)}` },
      )
    engine.outcomes.flushLog()
    return {
      'GET /logs, 5,000 records': buildGet('/logs?size=5000', key),
      'GET /logs, q': buildGet('/logs?size=100&q=zzz', key),
      'GET /logs, q, 5,000': buildGet('/logs?size=5000&q=tokens.get', key),
      'GET /logs, page 8 of 5,000': buildGet('/logs?size=5000&page=8', key),
    }
  },
  async applications(stage) {
    const management = await stage.createKey('mask', 'management')
    for (let at = 0; at < 100; at++) {
      const rules = Array.from({ length: 100 }, (_, rule) => ({
        description: 'd'.repeat(1000),
        priority: rule + 1,
        container: `/a/${'b'.repeat(180)}/${rule}/`,
        transform: 'mask',
        permissions: ['token:read', 'token:search', 'token:create'],
      }))
      await stage.engine.call('applications.create', { name: 'Many rules', type: 'private', rules }, owner)
    }
    return {
      'GET /applications?size=100': buildGet('/applications?size=100', management),
      'GET /permissions': buildGet('/permissions', management),
    }
  },
}

/**
 * A client in its own thread, so that its processor time is not counted. It keeps only the status and length of a
 * response.
 */
class BlockClient {
  readonly #worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
    const http = require('node:http')
    const agent = new http.Agent({ keepAlive: false })
    const send = ({ url, method, path, key, body }) => new Promise((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = { 'SVC-API-KEY': key, ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }) }
      const request = http.request(url + path, { method, headers, agent }, (response) => {
        let bytes = 0
        response.on('data', (chunk) => { bytes += chunk.length })
        response.on('end', () => resolve({ status: response.statusCode, bytes }))
        response.on('error', () => resolve({ status: 0, bytes }))
      })
      request.on('error', () => resolve({ status: 0, bytes: 0 }))
      request.end(text)
    })
    parentPort.on('message', async (request) => {
      const responses = await Promise.all(Array.from({ length: request.times ?? 1 }, () => send(request)))
      parentPort.postMessage(responses[0])
    })`,
    { eval: true },
  )

  sendRequest(url: string, request: BlockRequest): Promise<{ status: number; bytes: number }> {
    return new Promise((resolve) => {
      this.#worker.once('message', resolve)
      this.#worker.postMessage({ url, ...request })
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
