import { startDestination } from '../../../outbound/destination.ts'
import { deviceInfo, payment, startClientServer } from '../start.ts'

/**
 * The URL and keys of Coffer for a client's program; a program in another language gets them as environment variables.
 */
export type MatrixServer = {
  readonly URL: string
  readonly PORT: string
  /** May manage everything. */
  readonly MANAGEMENT: string
  /** A backend: tokens, documents, reactors. */
  readonly BACKEND: string
  /** A page: creates tokens and token intents. */
  readonly BROWSER: string
  /** A server that responds with the body it receives, for calls through proxies. */
  readonly ECHO: string
  /** The inputs of a 3D Secure session and its authentication, as JSON. */
  readonly DEVICE_INFO: string
  readonly PAYMENT: string
}

const managed = ['application', 'proxy', 'reactor'] as const
const actions = ['create', 'read', 'update', 'delete'] as const

/** The members of an object under their interface names. */
function onTheWire(value: object): object {
  const entries = Object.entries(value).map(([name, each]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeof each === 'object' ? onTheWire(each) : each,
  ])
  return Object.fromEntries(entries)
}

/** A listener with keys for everything a client is tried with; it closes when the test ends. */
export async function startMatrixServer(): Promise<MatrixServer> {
  const { vault, url, port, browser } = await startClientServer()
  const management = await vault.application({
    type: 'management',
    permissions: [
      ...managed.flatMap((each) => actions.map((action) => `${each}:${action}`)),
      ...actions.map((action) => `webhooks:${action}`),
      ...['keys:create', 'keys:read', 'keys:delete'],
      ...['tenant:read', 'tenant:update', 'report:read'],
      ...['read', 'update', 'delete'].map((action) => `tenant:member:${action}`),
      ...actions.map((action) => `tenant:invitation:${action}`),
    ],
  } as never)
  const backend = await vault.application({
    permissions: [
      ...['token-intent:create', 'token-intent:read', 'token-intent:delete'],
      ...['documents:create', 'documents:read', 'documents:reveal', 'documents:delete'],
      ...['reactor:invoke', 'proxy:invoke'],
      ...['3ds:session:create', '3ds:session:read', '3ds:session:authenticate'],
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
    DEVICE_INFO: JSON.stringify(onTheWire({ ...deviceInfo, browserTz: '-60' })),
    PAYMENT: JSON.stringify(onTheWire(payment)),
  }
}
