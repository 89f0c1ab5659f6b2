import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { compactDecrypt, importJWK } from 'jose'
import type { Json } from '../../../shared/json.ts'
import { assertJsonSize, parseJson } from '../../../shared/safe-json.ts'
import type { Decrypted } from '../pipeline/call.ts'
import type { VaultFile } from '../pipeline/vault-file.ts'
import { openPrivateKey } from './private-half.ts'
import { findClientKey } from './store.ts'

const algorithms = { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A256GCM'] }

/** SECURITY: stands for keys that do not exist, so that the time of an answer does not tell them from others. */
const unknownKey = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' })

/** The most characters of a protected header: its ids and one public key. */
const MAX_HEADER_LENGTH = 2000

/**
 * Decrypts what clients have encrypted for keys of the vault (rule C-02). Gives what is in each compact JWE that opens;
 * one that does not, for whatever reason, is left out. Never throws.
 */
export async function decryptJwes(
  file: Pick<VaultFile, 'db' | 'keyring' | 'now'>,
  encrypted: Iterable<string>,
): Promise<ReadonlyMap<string, Decrypted>> {
  const opened = new Map<string, Decrypted>()
  for (const jwe of new Set(encrypted)) {
    const value = await decryptJwe(file, jwe)
    if (value !== undefined) opened.set(jwe, value)
  }
  return opened
}

async function decryptJwe(
  file: Pick<VaultFile, 'db' | 'keyring' | 'now'>,
  jwe: string,
): Promise<Decrypted | undefined> {
  if (jwe.indexOf('.') > MAX_HEADER_LENGTH) return undefined
  try {
    const resolveKey = ({ kid }: { kid?: unknown }) => importJWK(getPrivateKey(file, String(kid)), 'ECDH-ES')
    const { plaintext } = await compactDecrypt(jwe, resolveKey, algorithms)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(plaintext)
    return { text, value: parsePlaintext(text) }
  } catch {
    // SECURITY: one answer for all that can be wrong; the reason would help to forge.
    return undefined
  }
}

function getPrivateKey(file: Pick<VaultFile, 'db' | 'keyring' | 'now'>, kid: string): JsonWebKey {
  const row = findClientKey(file.db, kid, file.now())
  if (!row) return unknownKey
  return { kty: 'OKP', crv: 'X25519', d: openPrivateKey(file, row), x: row.public.toString('base64url') }
}

/**
 * Clients write JSON, but some pass a text on as it is. Throws for JSON that no body may hold either.
 * SECURITY: it is bounded before it is parsed, as a body is (rule R-03, cases ).
 */
function parsePlaintext(text: string): Json {
  if (/^\s*[[{]/.test(text)) assertJsonSize(text, 'encrypted')
  return isJson(text) ? parseJson(text) : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    // Anything else is JSON that is nested too deep.
    return !(error instanceof SyntaxError)
  }
}
