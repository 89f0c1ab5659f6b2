import { startCoffer } from 'coffer/testing'
import { startShop } from './server.ts'

/** The shop, in front of a vault in memory: `npm run example:checkout`. */
const PORT = Number(process.env.PORT ?? 3000)

const coffer = await startCoffer({
  origins: [`http://localhost:${PORT}`],
  seed: {
    applications: [
      { name: 'The page', type: 'public', permissions: ['token:create', '3ds:session:create'] },
      { name: 'The server', type: 'private', permissions: ['3ds:session:authenticate'] },
    ],
  },
})
const shop = await startShop(
  { url: coffer.url, publicKey: coffer.keys.public, privateKey: coffer.keys.private },
  PORT,
)
console.log(`The shop is at ${shop.url}, its vault at ${coffer.url}. Ctrl-C stops both.`)
