import path from 'node:path'
import { onTestFinished } from 'vitest'
import { createVault } from '../../electron/host/vault/create-vault.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import type { OpenVault } from '../../electron/host/vault/vault.ts'
import { createTempFolder, createTestClient } from '../vault.ts'

/** The lowest cost, so that deriving a key takes almost no time. */
export const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
export const passphrase = 'correct horse'
export const name = 'work'

/** Creates and opens a vault with a passphrase, in its own data folder. It is locked and deleted when the test ends. */
export async function createStoredVault() {
  const folder = createTempFolder()
  const dataDir = path.join(folder, 'data')
  const { vault, recovery_key } = await createVault({ dataDir, name, protection: { passphrase, argon2id } })
  onTestFinished(() => vault.lock())
  return { folder, dataDir, vault, recovery_key, owner: createOwnerClient(vault) }
}

/** Returns the owner's typed client of an open vault. */
export function createOwnerClient(vault: OpenVault) {
  return createTestClient(() => vault.engine, { kind: 'owner' })
}

/** Returns a copy of a vault's master secret, which is not wiped when the vault is locked. */
export function copyMaster(vault: OpenVault): Buffer {
  return Buffer.from(vault.withMaster((master) => master))
}

/** Opens a vault and locks it when the test ends. */
export async function openStoredVault(input: Parameters<typeof openVault>[0]) {
  const vault = await openVault(input)
  onTestFinished(() => vault.lock())
  return vault
}

export const createCard = (number = '4242424242424242') =>
  ({ type: 'card', data: { number, expiration_month: 12, expiration_year: 2031 } }) as const
