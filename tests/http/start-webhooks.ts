import { constants, createVerify } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { Deliveries } from '../../electron/host/webhooks/deliveries.ts'
import { openListener } from '../../electron/http/listener.ts'
import { Outbound } from '../../electron/outbound/outbound.ts'
import { destinations } from '../../shared/destinations.ts'
import { startDestination } from '../outbound/destination.ts'
import { openVault } from '../vault.ts'

type WebhookStartOptions = { allow?: string[]; map?: Record<string, string> }

/** Opens a vault with a stopped clock and a listener. Events are delivered to its webhooks until the test ends. */
export async function startWebhooks({ allow = [], map = {} }: WebhookStartOptions = {}) {
  const reports: unknown[] = []
  const vault = openVault({ onEvents: () => deliveries.schedulePoll() })
  const chosen = destinations.parse({ allow, map })
  let own: number[] = []
  const outbound = new Outbound({ destinations: () => chosen, ownPorts: () => own })
  const deliveries: Deliveries = new Deliveries({
    engine: () => vault.engine,
    outbound,
    report: (error) => reports.push(error),
  })
  const listener = await openListener({
    engine: () => vault.engine,
    port: 0,
    origins: [],
    hosts: [],
  })
  own = [listener.port]
  onTestFinished(async () => {
    deliveries.stop()
    await listener.close()
    outbound.close()
  })
  const { owner } = vault
  return {
    vault,
    owner,
    listener,
    deliveries,
    /** The internal errors that were reported. */
    reports,
    createWebhook: (url: string, ...events: string[]) =>
      owner.webhooks.create({
        name: 'Shop',
        url,
        events: events.length > 0 ? events : ['token.created'],
      } as never),
    createToken: (id: string, more: object = {}) =>
      owner.tokens.create({ id, type: 'token', data: 'x', ...more } as never),
    getHealth: (id: string) => owner.webhooks.getHealth({ id }),
    /** Moves the clock, and makes the outbox check for due deliveries. */
    advanceClock(ms: number) {
      vault.clock.advance(ms)
      deliveries.schedulePoll()
    },
  }
}

/** A delivery as a receiver got it. */
export type ReceivedDelivery = {
  readonly path: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
  readonly body: {
    readonly event: {
      readonly id: string
      readonly type: string
      readonly timestamp: string
      readonly data: { readonly token: { readonly id: string } }
    }
    readonly delivered_at: string
  }
}

/** Whether a delivery's signature verifies with a public key. */
export function isSigned(
  { text, headers }: Pick<ReceivedDelivery, 'text' | 'headers'>,
  key: string,
): boolean {
  return createVerify('SHA256')
    .update(text)
    .verify({ key, padding: constants.RSA_PKCS1_PSS_PADDING }, String(headers['bt-signature']), 'base64')
}

/** Starts a receiver of events, which stores every delivery and responds with a status. */
export async function startReceiver(
  status: (arrived: ReceivedDelivery) => number | Promise<number> = () => 200,
) {
  const arrived: ReceivedDelivery[] = []
  const { url, port } = await startDestination(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
    arrived.push(one)
    response.writeHead(await status(one)).end('noted')
  })
  return {
    url,
    port,
    arrived,
    /** Returns the ids of the tokens in the received events, in order. */
    listTokenIds: () => arrived.map(({ body }) => body.event.data.token.id),
  }
}
