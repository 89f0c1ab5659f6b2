import { importBins } from '../../../../electron/host/transfer/import-directories.ts'
import { startDestination } from '../../../outbound/destination.ts'
import { createApplePayload, createGooglePayload } from '../../../wallets.ts'
import { deviceInfo, payment, startClientServer } from '../start.ts'

/**
 * The URL and keys of Coffer for the program of a client. Programs in other languages get them as environment
 * variables.
 */
export type MatrixServer = {
  readonly URL: string
  readonly PORT: string
  /** The key of a management application that may manage everything. */
  readonly MANAGEMENT: string
  /** The key of a backend: it may use tokens, documents and reactors. */
  readonly BACKEND: string
  /** The key of a web page: it may create tokens and token intents. */
  readonly BROWSER: string
  /** The URL of a server that responds with the body that it receives, for calls through proxies. */
  readonly ECHO: string
  /** The inputs of a 3D Secure session and its authentication, as JSON. */
  readonly DEVICE_INFO: string
  readonly PAYMENT: string
  /** Payment data of the wallets that the vault decrypts, as JSON. That of Apple is of a payment to two merchants. */
  readonly APPLE_PAYMENT_DATA: string
  readonly GOOGLE_PAYMENT_DATA: string
  /** The same for a card that Google did not tokenize. */
  readonly GOOGLE_CARD_DATA: string
}

const managed = ['application', 'proxy', 'reactor'] as const
const actions = ['create', 'read', 'update', 'delete'] as const

/** Converts the member names of an object, at any depth, to those of the API. */
function toWireNames(value: object): object {
  const entries = Object.entries(value).map(([name, each]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeof each === 'object' ? toWireNames(each) : each,
  ])
  return Object.fromEntries(entries)
}

/** Starts a listener with keys for every area. It is closed when the test ends. */
export async function startMatrixServer(): Promise<MatrixServer> {
  const { vault, url, port, browser } = await startClientServer()
  const management = await vault.application({
    type: 'management',
    permissions: [
      ...managed.flatMap((each) => actions.map((action) => `${each}:${action}`)),
      ...actions.map((action) => `webhooks:${action}`),
      ...['keys:create', 'keys:read', 'keys:delete'],
      ...['tenant:read', 'tenant:update', 'report:read', 'log:read'],
      ...['apple-pay:manage', 'google-pay:manage'],
      ...actions.map((action) => `tenant:merchant:${action}`),
      ...['connections:create', 'connections:delete'],
      ...['read', 'update', 'delete'].map((action) => `tenant:member:${action}`),
      ...actions.map((action) => `tenant:invitation:${action}`),
    ],
  } as never)
  const backend = await vault.application({
    permissions: [
      ...['token-intent:create', 'token-intent:read', 'token-intent:delete'],
      ...['documents:create', 'documents:read', 'documents:reveal', 'documents:delete'],
      ...['reactor:invoke', 'proxy:invoke', 'account-updater:real-time:invoke'],
      ...['account-updater:job:create', 'account-updater:job:read'],
      ...['create', 'read', 'delete', 'cryptogram', 'suspend', 'resume'].map(
        (each) => `network-token:${each}`,
      ),
      ...['agent', 'agent:instruction'].flatMap((each) =>
        ['create', 'get', 'update', 'delete'].map((action) => `${each}:${action}`),
      ),
      ...['agent:instruction:verify', 'agent:instruction:credentials'],
      ...['create', 'get', 'delete', 'verify'].map((action) => `enrollment:${action}`),
      ...['3ds:session:create', '3ds:session:read', '3ds:session:authenticate', 'apple-pay:session'],
      ...['apple-pay', 'google-pay'].flatMap((wallet) =>
        ['create', 'reveal', 'delete'].map((action) => `${wallet}:${action}`),
      ),
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
  // The imported BIN of `coBadgedCard`.
  const bins = ['bin,brand,funding,authentication,issuer,country', '497010,visa,debit,sca_required,Bank,FR']
  await importBins(vault.engine, {
    dry_run: false,
    csv: [...bins, '497010,mastercard,debit,sca_required,Bank,FR'].join('\n'),
  })
  const echo = await startDestination((request, response) => {
    response.setHeader('Content-Type', request.headers['content-type'] ?? 'application/json')
    request.pipe(response)
  })
  const { apple_payment_data } = await createApplePayload(vault, { merchants: ['shop', 'delivery'] })
  const { google_payment_data } = await createGooglePayload(vault)
  const googleCard = await createGooglePayload(vault, { variant: 'pan_only' })
  return {
    APPLE_PAYMENT_DATA: JSON.stringify(apple_payment_data),
    GOOGLE_PAYMENT_DATA: JSON.stringify(google_payment_data),
    GOOGLE_CARD_DATA: JSON.stringify(googleCard.google_payment_data),
    URL: url,
    PORT: String(port),
    MANAGEMENT: management.key,
    BACKEND: backend.key,
    BROWSER: browser.key,
    ECHO: echo.url,
    DEVICE_INFO: JSON.stringify(toWireNames({ ...deviceInfo, browserTz: '-60' })),
    PAYMENT: JSON.stringify(toWireNames(payment)),
  }
}
