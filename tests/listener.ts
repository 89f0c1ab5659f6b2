import { onTestFinished } from 'vitest'
import { ReactorPool } from '../electron/code-runner/pool.ts'
import { Reactors } from '../electron/host/reactors/reactors.ts'
import type { Connections } from '../electron/http/connections.ts'
import { openListener } from '../electron/http/listener.ts'
import type { Json } from '../shared/json.ts'
import { openBriefVault, openVault } from './vault.ts'

type Served = Awaited<ReturnType<typeof serve>>

/** A listener and its code runner, for the vault that is in `open` when a request arrives. */
async function serve(
  open: { vault: ReturnType<typeof openVault> },
  origins: string[],
  hosts: string[],
  connections?: Connections,
) {
  const engine = () => open.vault.engine
  const code = new Reactors({
    engine,
    isOn: () => true,
    baseUrl: () => listener.url,
    newPool: () => new ReactorPool({ packagesDir: null }),
    report: (error) => {
      throw error
    },
  })
  const listener = await openListener({
    engine,
    port: 0,
    code,
    origins,
    hosts,
    ...(connections && { connections }),
  })
  return { open, code, listener }
}

/** The listener of a finished test: opening one takes longer than opening its vault. */
let left: Served | undefined

/**
 * Opens a vault with a listener, and a key for everything its type may do; closed when the test ends. Unless `fresh`,
 * the listener may come from another test, and go to another one. Unless `durable`, the vault is for a test that does
 * not depend on durability.
 */
export async function startListener({
  origins = [],
  hosts = [],
  fresh = false,
  durable = false,
  connections,
}: {
  origins?: string[]
  hosts?: string[]
  fresh?: boolean
  durable?: boolean
  /** The limits of connections; only for a `fresh` listener. */
  connections?: Connections
} = {}) {
  const vault = durable ? openVault() : openBriefVault()
  const spare = fresh ? undefined : left
  if (spare) {
    left = undefined
    spare.open.vault = vault
    spare.listener.admit({ origins, hosts })
  }
  const served = spare ?? (await serve({ vault }, origins, hosts, connections))
  const { listener, code } = served
  let isClosed = false
  const close = () => {
    isClosed = true
    return listener.close()
  }
  /** With rate limits, the requests of this test would count for the next one. */
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
  /** Sends one request; the body is sent as JSON unless it is `raw`. */
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
  return { vault, url: listener.url, port: listener.port, close, request }
}
