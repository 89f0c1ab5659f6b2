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
type Ask = {
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
  say: (text: string) => void,
): Promise<Block[]> {
  const blocks: Block[] = []
  const client = new Client()
  try {
    for (const [name, scene] of Object.entries(scenes)) {
      say(`  ${name}`)
      const stage = await Stage.open(path.join(folder, name.replaceAll(' ', '-')))
      try {
        const asks = await scene(stage, tokens)
        for (const [what, ask] of Object.entries(asks)) {
          const { result, block } = await measureLongestBlock(() => client.ask(stage.url, ask))
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
      await this.#create(batch)
      batch = []
      size = 0
    }
    await this.#create(batch)
  }

  async #create(batch: NewTokenInput[]): Promise<void> {
    if (batch.length > 100) {
      const [refused] = await createTokens(this.engine, batch)
      if (refused) throw new Error(`A token was refused: ${refused.detail}`)
    } else for (const each of batch) await this.engine.call('tokens.create', each, owner)
  }

  async key(
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

  /** Creates a session that a private key has authorised with these rules. */
  async session(rules: unknown): Promise<string> {
    const start = await this.engine.call(
      'sessions.create',
      {},
      { kind: 'key', key: await this.key('mask', 'public') },
    )
    const { session_key, nonce } = start.output as { session_key: string; nonce: string }
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    await this.engine.call(
      'sessions.authorize',
      { nonce, rules, expires_at },
      { kind: 'key', key: await this.key('mask') },
    )
    return session_key
  }
}

const get = (path: string, key: string, times = 1): Ask => ({ method: 'GET', path, key, times })
const post = (path: string, key: string, body: unknown, times = 1): Ask => ({
  method: 'POST',
  path,
  key,
  body,
  times,
})

/** The lists that contain tokens. */
function lists(key: string): Record<string, Ask> {
  return {
    'GET /v2/tokens': get('/v2/tokens?size=100', key),
    'GET /tokens': get('/tokens?size=100', key),
    'POST /v2/tokens/search': post('/v2/tokens/search', key, { size: 100 }),
    'POST /tokens/search': post('/tokens/search', key, { size: 100 }),
    'GET /v2/tokens, four at once': get('/v2/tokens?size=100', key, 4),
  }
}

type Scene = (stage: Stage, tokens: number) => Promise<Record<string, Ask>>

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
    const reveal = await stage.key('reveal')
    const mask = await stage.key('mask')
    return {
      ...lists(reveal),
      'GET /v2/tokens, masked': get('/v2/tokens?size=100', mask),
      'GET /tokens/{id}': get('/tokens/large-7', reveal),
      'POST /detokenize, 100 of them': post(
        '/detokenize',
        reveal,
        ids.slice(0, 100).map((id) => `{{ ${id} | size }}`),
      ),
      'POST /detokenize, 1,000 of one': post(
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
    const reveal = await stage.key('reveal')
    return {
      ...lists(reveal),
      ...Object.fromEntries(
        Object.keys(structures).map((name) => [`GET, ${name}`, get(`/tokens/${name}-0`, reveal)]),
      ),
    }
  },
  async 'tokens of 20 kB'(stage) {
    const text = 'x'.repeat(20_000)
    await stage.fill(Array.from({ length: 400 }, () => ({ type: 'token', data: text })))
    return lists(await stage.key('reveal'))
  },
  async 'heavy masks'(stage) {
    const text = 'a1 b2,'.repeat(10_000)
    const mask = Array.from({ length: 11 }, () => '{{ data | upcase | size }}')
    await stage.fill(Array.from({ length: 120 }, () => ({ type: 'token', data: text, mask })))
    const key = await stage.key('mask')
    return lists(key)
  },
  async 'masks over structures'(stage) {
    const data = Array.from({ length: 50_000 }, (_, at) => at)
    const mask = Array.from({ length: 2 }, () => '{{ data | last4 }}')
    await stage.fill(Array.from({ length: 20 }, (_, at) => ({ id: `wide-${at}`, type: 'token', data, mask })))
    const key = await stage.key('mask')
    return { ...lists(key), 'GET /tokens/{id}': get('/tokens/wide-7', key) }
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
    const one = await stage.session([
      { priority: 1, conditions: [condition], transform: 'mask', permissions },
    ])
    const many = await stage.session(
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
    const key = await stage.key('mask')
    const all = Object.entries(pairs).map(([name, value]) => `metadata.${name}:${value}`)
    const query = all.join(' AND ')
    const each = (name: string, session: string) => ({
      [`GET /v2/tokens, ${name}`]: get('/v2/tokens?size=1', session),
      [`GET /tokens, ${name}`]: get('/tokens?size=1', session),
      [`POST /v2/tokens/search, ${name}`]: post('/v2/tokens/search', session, {
        query: 'type:token',
        size: 1,
      }),
      [`POST /tokens/search, ${name}`]: post('/tokens/search', session, { size: 1 }),
    })
    return {
      ...each('a session with one condition', one),
      ...each('a session with 2,000 conditions', many),
      'POST /tokens/search, 50 metadata terms': post('/tokens/search', key, { query }),
      'POST /tokens/search, one metadata term': post('/tokens/search', key, { query: all[0] }),
      'POST /tokens/search, one index': post('/tokens/search', key, { query: 'data:same' }),
      'GET /tokens, last page': get(`/tokens?size=100&page=${Math.floor(tokens / 100)}`, key),
      'GET /tokens, 2,000 ids': get(
        `/tokens?${Array.from({ length: 300 }, () => `id=${randomUUID()}`).join('&')}`,
        key,
      ),
    }
  },
  async 'the log'(stage) {
    const key = await stage.key('mask', 'management')
    const { engine } = stage
    // The key is valid, because requests with an invalid key share one log record.
    for (let at = 0; at < 40_000; at++)
      engine.recordOutcome(
        'tokens.get',
        { kind: 'key', key },
        { status: 404, note: 'gone' },
        {},
        { id: `${at}-${'x'.repeat(350)}` },
      )
    engine.flushLog()
    return {
      'GET /logs, 5,000 records': get('/logs?size=5000', key),
      'GET /logs, q': get('/logs?size=100&q=zzz', key),
      'GET /logs, q, 5,000': get('/logs?size=5000&q=tokens.get', key),
      'GET /logs, page 8 of 5,000': get('/logs?size=5000&page=8', key),
    }
  },
  async applications(stage) {
    const management = await stage.key('mask', 'management')
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
      'GET /applications?size=100': get('/applications?size=100', management),
      'GET /permissions': get('/permissions', management),
    }
  },
}

/**
 * A client in its own thread, so that its processor time is not counted. It keeps only the status and length of a
 * response.
 */
class Client {
  readonly #worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
    const http = require('node:http')
    const agent = new http.Agent({ keepAlive: false })
    const one = ({ url, method, path, key, body }) => new Promise((resolve) => {
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
    parentPort.on('message', async (ask) => {
      const answers = await Promise.all(Array.from({ length: ask.times ?? 1 }, () => one(ask)))
      parentPort.postMessage(answers[0])
    })`,
    { eval: true },
  )

  ask(url: string, ask: Ask): Promise<{ status: number; bytes: number }> {
    return new Promise((resolve) => {
      this.#worker.once('message', resolve)
      this.#worker.postMessage({ url, ...ask })
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
