import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { BasisTheoryClient } from '@basis-theory/node-sdk'

export type Vault = {
  readonly url: string
  /** May create tokens and 3D Secure sessions: it is in the page. */
  readonly publicKey: string
  /** May authenticate 3D Secure sessions: it never leaves this server. */
  readonly privateKey: string
}

/** A shop with one page. Resolves to its address once it listens on `port`; 0 picks a free one. */
export async function startShop(vault: Vault, port = 0): Promise<{ url: string; close(): Promise<void> }> {
  const { threeds } = new BasisTheoryClient({ apiKey: vault.privateKey, environment: vault.url })
  const server = http.createServer((request, response) => {
    answer(request).then(
      ([status, type, body]) => response.writeHead(status, { 'Content-Type': type }).end(body),
      (error) => response.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error)),
    )
  })

  async function answer(request: http.IncomingMessage): Promise<Answer> {
    const { method, url } = request
    if (method === 'GET' && url === '/') return [200, 'text/html; charset=utf-8', page(vault)]
    if (method === 'GET' && url === '/page.js') return [200, 'text/javascript', script()]
    if (method === 'GET' && url === '/web-threeds.js') return [200, 'text/javascript', webThreeDs()]
    if (method === 'POST' && url === '/authenticate')
      return json(await authenticate(await sessionIn(request)))
    if (method === 'POST' && url === '/pay') return json(await pay(await sessionIn(request)))
    return [404, 'text/plain', 'There is no such page.']
  }

  /** Asks the bank. It may want to ask the cardholder, in the page. */
  async function authenticate(session: string) {
    const { authenticationStatus, acsChallengeUrl, acsTransactionId, threedsVersion } =
      await threeds.sessions.authenticate(session, {
        authenticationCategory: 'payment',
        authenticationType: 'payment-transaction',
        merchantInfo: {
          mid: '9876543210001',
          acquirerBin: '000000999',
          name: 'The example shop',
          url: 'https://shop.example.com',
          countryCode: '826',
          categoryCode: '5942',
        },
        purchaseInfo: {
          amount: '1999',
          currency: '978',
          exponent: '2',
          date: new Date().toISOString().replace(/\D/g, '').slice(0, 14),
          transactionType: 'purchase',
        },
        cardholderInfo: { name: 'Ada Lovelace', email: 'ada@example.com' },
      })
    return { authenticationStatus, acsChallengeUrl, acsTransactionId, threedsVersion }
  }

  /** Pays if the bank says so. What the page says is not believed: the vault is asked. */
  async function pay(session: string) {
    const { authenticationStatus, liabilityShifted, eci } = await threeds.sessions.getChallengeResult(session)
    return { paid: liabilityShifted === true, authenticationStatus, eci }
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

type Answer = readonly [status: number, type: string, body: string | Buffer]

function page({ url, publicKey }: Vault): string {
  const html = fs.readFileSync(path.join(import.meta.dirname, 'page.html'), 'utf8')
  return html.replace('VAULT_URL', url).replace('PUBLIC_KEY', publicKey)
}

function script(): Buffer {
  return fs.readFileSync(path.join(import.meta.dirname, 'page.js'))
}

/** The official web client, as its package has it for a script tag. */
function webThreeDs(): Buffer {
  const main = new URL(import.meta.resolve('@basis-theory/web-threeds'))
  return fs.readFileSync(new URL('../bundle/index.js', main))
}

function json(value: unknown): Answer {
  return [200, 'application/json', JSON.stringify(value)]
}

async function sessionIn(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { session } = JSON.parse(Buffer.concat(chunks).toString())
  return String(session)
}
