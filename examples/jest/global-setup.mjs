import { fileURLToPath } from 'node:url'
import { startCoffer } from 'coffer/testing'

/** Starts the vault; tests find it by their environment. */
export default async function setUp() {
  const coffer = await startCoffer({ seed: fileURLToPath(new URL('../coffer.seed.yaml', import.meta.url)) })
  globalThis.coffer = coffer
  process.env.VAULT_URL = coffer.url
  process.env.VAULT_KEY = coffer.keys.private
  process.env.VAULT_MANAGEMENT_KEY = coffer.keys.management
}
