import { onTestFinished } from 'vitest'
import { openListener } from '../../electron/http/listener.ts'
import { destinations, noDestinations } from '../../shared/destinations.ts'
import { createProxies } from '../create-proxies.ts'
import { openVault } from '../vault.ts'

/** The number of the card in the vault. */
export const number = '4242424242424242'

type ProxyStartOptions = {
  permissions?: string[]
  rules?: object[]
  map?: Record<string, string>
  ephemeral?: boolean
}

/** Opens a vault with a listener, a card, and a key that may call proxies. */
export async function startProxy({
  permissions = ['proxy:invoke', 'token:create'],
  rules,
  map,
  ephemeral = false,
}: ProxyStartOptions = {}) {
  const vault = openVault({ ephemeral })
  let own: number[] = []
  const chosen = map ? destinations.parse({ map }) : noDestinations
  const { outbound, proxies } = createProxies({ ownPorts: () => own, destinations: chosen })
  onTestFinished(() => outbound.close())
  const listener = await openListener({
    engine: () => vault.engine,
    port: 0,
    origins: [],
    hosts: [],
    proxies,
  })
  own = [listener.port]
  onTestFinished(() => listener.close())
  const { key } = await vault.application({ permissions, ...(rules && { rules }) } as never)
  const data = { number, expiration_month: 12, expiration_year: 2035, cvc: '123' }
  const { id } = await vault.owner.tokens.create({ type: 'card', data })
  const callProxy = async (
    method: string,
    path: string,
    {
      headers = {},
      body,
    }: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> | ReadableStream } = {},
  ) => {
    const response = await fetch(listener.url + path, {
      method,
      redirect: 'manual',
      headers: { 'BT-API-KEY': key, ...headers },
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const createProxy = async (input: object) =>
    vault.owner.proxies.create({ name: 'p', destination_url: 'https://echo.coffer.test', ...input } as never)
  const listRecords = async () => (await vault.owner.logs.list({ size: 50 })).data
  return { vault, listener, key, id, callProxy, createProxy, listRecords }
}

/** Returns the problem in the response of a proxy. */
export function getProxyError({ text }: { text: string }) {
  return JSON.parse(text).proxy_error as {
    status: number
    detail: string
    title: string
    code: string
    errors: object
  }
}
