import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { startCoffer } from 'coffer/testing'
import { startShop } from './shop/server.ts'
import { createWallet } from './wallet.ts'

/** `npm run example:checkout`: starts the shop, an in-memory vault and a payment provider, each in its own process. */
const port = Number(process.env.PORT ?? 3000)
const shop = `http://localhost:${port}`

const [provider] = await once(fork(path.join(import.meta.dirname, 'provider.ts')), 'message')
const coffer = await startCoffer({
  beside: true,
  // The shop's page may call the vault.
  origins: [shop],
  // The shop uses the provider's real URL, which the vault redirects to the local provider.
  destinations: { map: { 'https://api.payments.example': provider } },
  seed: {
    applications: [
      { name: 'Page', type: 'public', permissions: ['token:create', '3ds:session:create'] },
      {
        name: 'Server',
        type: 'private',
        permissions: ['3ds:session:authenticate', 'proxy:invoke', 'apple-pay:create', 'google-pay:create'],
      },
    ],
    webhooks: [{ name: 'Shop', url: `${shop}/webhook`, events: ['proxy.invoked'] }],
  },
})
const { url, keys } = coffer
await startShop(
  { url, publicKey: keys.public, privateKey: keys.private },
  createWallet(url, keys.management),
  port,
)
console.log(`The shop is at ${shop}, its vault at ${url}. Ctrl-C stops everything.`)
