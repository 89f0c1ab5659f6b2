import { expect, onTestFinished } from 'vitest'
import { ReactorPool } from '../../electron/code-runner/pool.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import { Reactors } from '../../electron/host/reactors/reactors.ts'
import type { Pool } from '../../electron/host/reactors/tasks.ts'
import { openListener } from '../../electron/http/listener.ts'
import type { Json } from '../../shared/json.ts'
import { createProxies } from '../create-proxies.ts'
import { openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

/** The number of the card in the vault. */
export const number = '4242424242424242'

type ReactorStartOptions = {
  isOn?: boolean
  permissions?: string[]
  rules?: object[]
  ephemeral?: boolean
  /** A pool to use instead of one with processes. */
  pool?: Pool
}

/** Opens a vault with a listener that runs code, a card, and a key that may call reactors. */
export async function startReactors({
  isOn = true,
  permissions = ['reactor:invoke', 'token:create'],
  rules,
  ephemeral = false,
  pool,
}: ReactorStartOptions = {}) {
  const vault = openVault({ ephemeral })
  const state: { isOn: boolean; engine: () => Engine | null } = { isOn, engine: () => vault.engine }
  const incidents: { error: unknown; where: string }[] = []
  const reactors = new Reactors({
    engine: () => state.engine(),
    isOn: () => state.isOn,
    baseUrl: () => listener.url,
    newPool: () => pool ?? new ReactorPool({ packagesDir: null }),
    report: (error, where) => incidents.push({ error, where }),
  })
  const { outbound, proxies } = createProxies({ ownPorts: () => [listener.port], code: reactors })
  const listener = await openListener({
    engine: () => state.engine(),
    port: 0,
    origins: [],
    hosts: [],
    code: reactors,
    proxies,
  })
  onTestFinished(async () => {
    await listener.close()
    outbound.close()
    await reactors.stop()
  })
  const { id: app_id, key } = await vault.application({ permissions, ...(rules && { rules }) } as never)
  const data = { number, expiration_month: 12, expiration_year: 2035, cvc: '123' }
  const { id } = await vault.owner.tokens.create({ type: 'card', data })
  const request = async (
    method: string,
    path: string,
    {
      body,
      headers = {},
      key: other = key,
      signal,
    }: { body?: Json; headers?: Record<string, string>; key?: string; signal?: AbortSignal } = {},
  ) => {
    const response = await fetch(listener.url + path, {
      method,
      ...(signal && { signal }),
      headers: {
        'SVC-API-KEY': other,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }
  /** Stores code and returns its reactor's id. */
  const storeReactor = async (code: string, more: object = {}) =>
    (await vault.owner.reactors.create({ name: 'test', code, ...more })).id
  const stored = new Map<string, Promise<string>>()
  /** Runs code once. Equal code uses the same reactor, so its process may be reused. */
  const runReactor = async (code: string, args: Json = {}, more: object = {}) => {
    const known = JSON.stringify([code, more])
    const id = stored.get(known) ?? storeReactor(code, more)
    stored.set(known, id)
    return request('POST', `/reactors/${await id}/react`, { body: { args } })
  }
  /** Waits for the result of an asynchronous run. */
  const waitForResult = (id: string, request_id: string) =>
    waitFor(async () => {
      const result = await request('GET', `/reactors/${id}/results/${request_id}`)
      expect(result.status).not.toBe(404)
      return result
    })
  /** Returns every record of the log, newest first. */
  const listRecords = async () => (await vault.owner.logs.list({ size: 100 })).data
  return {
    vault,
    url: listener.url,
    key,
    app_id,
    card: id,
    reactors,
    incidents,
    state,
    request,
    storeReactor,
    runReactor,
    waitForResult,
    listRecords,
  }
}
