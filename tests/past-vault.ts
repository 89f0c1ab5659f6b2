import { owner } from '../electron/engine/pipeline/call.ts'
import { createVault } from '../electron/host/vault/create-vault.ts'

const DAY_MS = 24 * 60 * 60 * 1000
export const passphrase = 'correct horse battery staple'

/**
 * Creates and closes a vault that was last in use 731 days ago. One of its tokens has expired since, and another has no
 * expiry.
 */
export async function makePastVault(dataDir: string, name = 'default'): Promise<void> {
  const now = () => Date.now() - 731 * DAY_MS - DAY_MS / 2
  const { vault } = await createVault({ dataDir, name, protection: { passphrase }, engine: { now } })
  const { tokens } = vault.engine.as(owner)
  const expires_at = new Date(now() + 200 * DAY_MS).toISOString()
  await tokens.create({ id: 'goes', type: 'token', data: 'x', expires_at })
  await tokens.create({ id: 'stays', type: 'token', data: 'x' })
  vault.lock()
}
