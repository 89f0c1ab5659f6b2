import { onTestFinished } from 'vitest'
import { ReactorPool } from '../electron/code-runner/pool.ts'
import { Reactors } from '../electron/host/reactors/reactors.ts'
import type { Connections } from '../electron/http/connections.ts'
import { openListener } from '../electron/http/listener.ts'
import type { Json } from '../shared/json.ts'
import { createProxies } from './create-proxies.ts'
import { openBriefVault, openVault } from './vault.ts'

type Served = Awaited<ReturnType<typeof serve>>

/** Opens a listener and its code runner. They serve the vault that is in `open` when a request arrives. */
async function serve(
  open: { vault: ReturnType<typeof openVault> },
  admitted: { origins: string[]; hosts: string[]; strict: boolean },
  connections?: Connections,
) {
  const engine = () => open.vault.engine
  const throwError = (error: unknown) => {
    throw error
  }
  const code = new Reactors({
    engine,
    isOn: () => true,
    baseUrl: () => listener.url,
    newPool: () => new ReactorPool({ packagesDir: null }),
    report: throwError,
  })
  const { outbound, proxies } = createProxies({ ownPorts: () => [listener.port], code, report: throwError })
  const listener = await openListener({
    engine,
    port: 0,
    code,
    proxies,
    ...admitted,
    ...(connections && { connections }),
  })
  return { open, code, outbound, listener }
}

/** The listener of a finished test, reused because opening one takes longer than opening its vault. */
let left: Served | undefined

/**
 * Opens a vault with a listener, which are closed when the test ends. Unless `fresh`, the listener may be shared with
 * other tests, one after another. Set `durable` if the test depends on the durability of the vault, or pass an
 * open `vault`.
 */
export async function startListener({
  origins = [],
  hosts = [],
  strict = false,
  fresh = false,
  durable = false,
  vault = durable ? openVault() : openBriefVault(),
  connections,
}: {
  origins?: string[]
  hosts?: string[]
  strict?: boolean
  fresh?: boolean
  durable?: boolean
  vault?: ReturnType<typeof openVault>
  /** The limits of connections, which only a `fresh` listener can have. */
  connections?: Connections | undefined
} = {}) {
  const spare = fresh ? undefined : left
  if (spare) {
    left = undefined
    spare.open.vault = vault
    spare.listener.admit({ origins, hosts, strict })
  }
  const served = spare ?? (await serve({ vault }, { origins, hosts, strict }, connections))
  const { listener, code, outbound } = served
  let isClosed = false
  const close = () => {
    isClosed = true
    outbound.close()
    return listener.close()
  }
  /** Whether the listener may have counted requests for rate limits, which would then affect the next test. */
  const hasCounted = () => {
    try {
      return vault.engine.settings.rate_limits !== 'off'
    } catch {
      return true
    }
  }
  onTestFinished(async ({ task }) => {
    if (!fresh && !left && !isClosed && !hasCounted() && task.result?.state !== 'fail') left = served
    else await close()
    await code.stop()
  })
  /** Sends one request. `body` is sent as JSON, and `raw` as it is. */
  async function request(
    method: string,
    path: string,
    {
      key,
      body,
      raw,
      headers = {},
    }: {
      key?: string
      body?: Json
      raw?: string | Uint8Array<ArrayBuffer>
      headers?: Record<string, string>
    } = {},
  ) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(listener.url + path, {
      method,
      headers: {
        ...(key !== undefined && { 'SVC-API-KEY': key }),
        ...((body !== undefined || raw !== undefined) && { 'Content-Type': type }),
        ...headers,
      },
      ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    vault,
    url: listener.url,
    port: listener.port,
    answerRequest: listener.answerRequest,
    close,
    request,
  }
}
