import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { compactDecrypt, importJWK } from 'jose'
import type { Json } from '../../../../shared/json.ts'
import { assertJsonSize, parseJson } from '../../../../shared/safe-json.ts'
import type { Decrypted } from '../../pipeline/call.ts'
import type { VaultFile } from '../../pipeline/vault-file.ts'
import { openPrivateKey } from './private-half.ts'
import { findClientKey } from './store.ts'

const algorithms = { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A256GCM'] }

/** SECURITY: used in place of a missing key, so that the response time does not reveal that the key is missing. */
const unknownKey = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' })

/** The maximum length of a protected header, in characters. A valid one contains only ids and one public key. */
const MAX_HEADER_LENGTH = 2000

/**
 * Decrypts compact JWEs that clients encrypted for keys of the vault (rule C-02). Returns the content by JWE. A JWE
 * that cannot be decrypted, for any reason, is left out. Never throws.
 */
export async function decryptJwes(
  file: Pick<VaultFile, 'db' | 'keyring' | 'now'>,
  encrypted: Iterable<string>,
): Promise<ReadonlyMap<string, Decrypted>> {
  const decrypted = new Map<string, Decrypted>()
  for (const jwe of new Set(encrypted)) {
    const value = await decryptJwe(file, jwe)
    if (value !== undefined) decrypted.set(jwe, value)
  }
  return decrypted
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
    // SECURITY: the same result for every failure; the reason would help an attacker to forge a JWE.
    return undefined
  }
}

function getPrivateKey(file: Pick<VaultFile, 'db' | 'keyring' | 'now'>, kid: string): JsonWebKey {
  const row = findClientKey(file.db, kid, file.now())
  if (!row) return unknownKey
  return { kty: 'OKP', crv: 'X25519', d: openPrivateKey(file, row), x: row.public.toString('base64url') }
}

/**
 * Parses decrypted content as JSON. Returns content that is not JSON as a string, because some clients encrypt plain
 * text. Throws for JSON that would be rejected in a request body. SECURITY: the size is checked before parsing, as for
 * a body (rule R-03, cases ).
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
    // Any other error means JSON that is nested too deeply.
    return !(error instanceof SyntaxError)
  }
}
