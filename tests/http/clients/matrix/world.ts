import { startDestination } from '../../../outbound/destination.ts'
import { startForClients } from '../start.ts'

/** Where a program of a client finds Coffer, and with which keys; a program in another language gets it as its environment. */
export type World = {
  readonly URL: string
  readonly PORT: string
  /** May manage everything. */
  readonly MANAGEMENT: string
  /** A backend: tokens, documents, reactors. */
  readonly BACKEND: string
  /** A page: creates tokens and token intents. */
  readonly BROWSER: string
  /** A server that answers with the body it gets, for calls through proxies. */
  readonly ECHO: string
}

const managed = ['application', 'proxy', 'reactor'] as const
const actions = ['create', 'read', 'update', 'delete'] as const

/** A listener with keys for everything that a client is tried with; gone when the test ends. */
export async function startWorld(): Promise<World> {
  const { vault, url, port, browser } = await startForClients()
  const management = await vault.application({
    type: 'management',
    permissions: [
      ...managed.flatMap((each) => actions.map((action) => `${each}:${action}`)),
      ...actions.map((action) => `webhooks:${action}`),
      ...['keys:create', 'keys:read', 'keys:delete', 'tenant:read'],
    ],
  } as never)
  const backend = await vault.application({
    permissions: [
      ...['token-intent:create', 'token-intent:read', 'token-intent:delete'],
      ...['documents:create', 'documents:read', 'documents:reveal', 'documents:delete'],
      ...['reactor:invoke', 'proxy:invoke'],
    ],
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: [
          'token:create',
          'token:read',
          'token:update',
          'token:delete',
          'token:use',
          'token:search',
        ],
      },
    ],
  } as never)
  const echo = await startDestination((request, response) => {
    response.setHeader('Content-Type', request.headers['content-type'] ?? 'application/json')
    request.pipe(response)
  })
  return {
    URL: url,
    PORT: String(port),
    MANAGEMENT: management.key,
    BACKEND: backend.key,
    BROWSER: browser.key,
    ECHO: echo.url,
  }
}
