import http from 'node:http'
import path from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import react from '@vitejs/plugin-react'
import { createServer, type ViteDevServer } from 'vite'
import type { EncryptPayment } from '../wallet.ts'
import { bankBehind } from './bank.ts'
import { charge, type PaymentSource, payWithToken, payWithWallet } from './charge.ts'
import { type Order, Orders } from './orders.ts'
import type { Vault } from './vault.ts'
import { storeWalletPayment, type WalletPayment } from './wallet-payment.ts'
import { eventIn } from './webhook.ts'

/** Starts the shop: a page built by Vite, and its API. Resolves once the server listens. */
export async function startShop(vault: Vault, encryptPayment: EncryptPayment, port: number): Promise<void> {
  const bank = bankBehind(vault)
  const orders = new Orders()

  /** Charges an open order once. Its source is undefined if the bank has refused it. */
  const pay = async (order: Order, findSource: () => Promise<PaymentSource | undefined>) => {
    orders.set(order, 'processing')
    try {
      const source = await findSource()
      const isPaying = source && (await charge(vault, order, source)) === 'accepted'
      return isPaying ? order : orders.set(order, 'declined')
    } catch (error) {
      orders.set(order, 'failed')
      throw error
    }
  }

  const routes: Record<string, (request: http.IncomingMessage, id: string) => Promise<Answer>> = {
    /** Creates an order for the product, to be paid with the card of a 3D Secure session. */
    async 'POST /orders'(request) {
      const { session } = (await json(request)) as { session: string }
      const challenge = await bank.announce(session)
      const order = orders.open(session)
      return [201, { id: order.id, challenge }]
    },

    /** Charges the card if the bank has confirmed the payment. A repeated request changes nothing. */
    async 'POST /orders/:id/pay'(_request, id) {
      const order = orders.get(id)
      if (!order) return [404]
      const { session } = order
      if (order.status !== 'open' || session === undefined) return [200, order]
      const findSource = async () => {
        const result = await bank.result(session)
        return result.liabilityShifted ? payWithToken(result) : undefined
      }
      return [200, await pay(order, findSource)]
    },

    /** Creates an order, and pays it with the payment data of a wallet. The vault decrypts these. */
    async 'POST /wallet-orders'(request) {
      const payment = (await json(request)) as WalletPayment
      const findSource = async () => payWithWallet(await storeWalletPayment(vault, payment))
      return [201, await pay(orders.open(), findSource)]
    },

    /** Not part of a shop: encrypts a payment in place of the visitor's phone. */
    async 'POST /wallet'(request) {
      return [200, await encryptPayment((await json(request)) as Parameters<EncryptPayment>[0])]
    },

    async 'GET /orders/:id'(_request, id) {
      const order = orders.get(id)
      return order ? [200, order] : [404]
    },

    /** Receives an event for every call of a proxy. An order is paid once the provider has accepted its call. */
    async 'POST /webhook'(request) {
      const event = await eventIn(await buffer(request), String(request.headers['bt-signature']), vault)
      if (!event) return [401]
      const order = orders.get(event.trace_id)
      if (order && event.data.destination.response.status === 201) orders.set(order, 'paid')
      return [204]
    },
  }

  const server = http.createServer((request, response) => {
    const { method, url = '/' } = request
    const route = routes[`${method} ${url.replace(/^\/orders\/[^/]+/, '/orders/:id')}`]
    if (!route) return page.middlewares(request, response)
    route(request, url.split('/')[2] ?? '')
      .catch((error: Error): Answer => {
        console.error(error.message)
        return [500]
      })
      .then(([status, body]) => {
        response.writeHead(status, { 'Content-Type': 'application/json' })
        response.end(body && JSON.stringify(body))
      })
  })
  const page = await makePage(vault, server)
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(port, 'localhost', resolve)
  })
}

type Answer = readonly [status: number, body?: object]

/** Serves the page in development mode, with Coffer's script tag in its head, and reloads it when its files change. */
function makePage({ url, publicKey }: Vault, server: http.Server): Promise<ViteDevServer> {
  return createServer({
    configFile: false,
    root: path.join(import.meta.dirname, '..', 'page'),
    plugins: [
      react(),
      {
        name: 'coffer-elements',
        transformIndexHtml: () => [
          { tag: 'script', attrs: { src: `${url}/elements.js` }, injectTo: 'head-prepend' },
        ],
      },
    ],
    define: {
      'import.meta.env.VITE_VAULT_URL': JSON.stringify(url),
      'import.meta.env.VITE_PUBLIC_KEY': JSON.stringify(publicKey),
    },
    server: { middlewareMode: true, hmr: { server } },
    logLevel: 'warn',
  })
}
