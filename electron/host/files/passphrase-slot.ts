import { hash } from 'node:crypto'
import fs from 'node:fs'
import type { Argon2id } from './header.ts'

/** The minimum and maximum of each cost. They keep a tampered header from using all memory or computing forever. */
export const argon2idBounds = {
  memory_kib: [8, 1_048_576],
  iterations: [1, 64],
  parallelism: [1, 16],
} as const

/**
 * Reads the salt and the Argon2id parameters of a passphrase-protected vault from its `vault.json`. Returns undefined
 * if no passphrase protects the vault, or if `readHeader` would reject the file. Uses no schema, so that it can run
 * before other modules are loaded.
 */
export function readPassphraseSlot(file: string): { salt: Buffer; argon2id: Argon2id } | undefined {
  try {
    const { checksum, ...content } = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (checksum !== computeHeaderChecksum(content) || content.protection !== 'passphrase') return undefined
    const { salt, argon2id } = content.passphrase
    return isArgon2id(argon2id) ? { salt: Buffer.from(salt, 'base64'), argon2id } : undefined
  } catch {
    // `readHeader` reports what is wrong.
    return undefined
  }
}

/**
 * Computes the checksum of a header's content. It detects damage only. Tampering is detected when a secret is opened,
 * because each one has its own seal.
 */
export function computeHeaderChecksum(content: object): string {
  return hash('sha256', JSON.stringify(content))
}

function isArgon2id(cost: Record<string, unknown>): cost is Argon2id {
  return Object.entries(argon2idBounds).every(
    ([name, [min, max]]) =>
      Number.isInteger(cost[name]) && Number(cost[name]) >= min && Number(cost[name]) <= max,
  )
}
