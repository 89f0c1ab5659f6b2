import { createServiceError } from './errors.ts'

const utf8 = new TextEncoder()

/** The SPKI prefix of an X25519 key: the algorithm, and the length of the 32-byte key that follows. */
const SPKI = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21, 0x00]
const KEY_BYTES = 32

/** Reads the 32 bytes of an X25519 key from PEM, with or without SPKI. Throws for any other content. */
export function parsePublicKeyPem(pem: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(pem.replace(/-----[A-Z ]+-----|\s/g, ''))
  if (bytes?.length === KEY_BYTES) return bytes
  const isSpki = bytes?.length === SPKI.length + KEY_BYTES && SPKI.every((byte, at) => bytes[at] === byte)
  if (!bytes || !isSpki) throw createServiceError('publicKeyPem is not the PEM of an X25519 public key.')
  return bytes.slice(SPKI.length)
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Encrypts text with a public key, as a compact JWE: ECDH-ES with X25519, A256GCM (RFC 7516, RFC 8037). Throws if the
 * browser does not support X25519, or if the key is a low-order point, which would make the secret public.
 */
export async function encryptForKey(
  { kid, key }: { readonly kid: string; readonly key: Uint8Array<ArrayBuffer> },
  plaintext: string,
): Promise<string> {
  const subtle = crypto.subtle as SubtleCrypto | undefined
  const own = await subtle?.generateKey('X25519', true, ['deriveBits']).catch(() => undefined)
  if (!subtle || !own || !('privateKey' in own)) {
    throw createServiceError('tokens.encrypt needs X25519, which this browser does not have on this page.')
  }
  const peer = await subtle.importKey('raw', key, 'X25519', false, [])
  const shared = await subtle.deriveBits({ name: 'X25519', public: peer }, own.privateKey, 256)
  const x = encodeBase64Url(new Uint8Array(await subtle.exportKey('raw', own.publicKey)))
  const epk = { kty: 'OKP', crv: 'X25519', x }
  const header = encodeBase64Url(utf8.encode(JSON.stringify({ alg: 'ECDH-ES', kid, enc: 'A256GCM', epk })))
  const secret = await subtle.importKey('raw', await deriveSecret(subtle, shared), 'AES-GCM', false, [
    'encrypt',
  ])
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const additionalData = utf8.encode(header)
  const sealed = new Uint8Array(
    await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, secret, utf8.encode(plaintext)),
  )
  const tag = sealed.length - 16
  return [
    header,
    '',
    encodeBase64Url(iv),
    encodeBase64Url(sealed.slice(0, tag)),
    encodeBase64Url(sealed.slice(tag)),
  ].join('.')
}

/** Derives the content key (RFC 7518, 4.6.2): one round, no party info. */
async function deriveSecret(subtle: SubtleCrypto, shared: ArrayBuffer): Promise<ArrayBuffer> {
  const algorithm = utf8.encode('A256GCM')
  const input = [
    ...encodeUint32(1),
    ...new Uint8Array(shared),
    ...encodeUint32(algorithm.length),
    ...algorithm,
    ...encodeUint32(0),
    ...encodeUint32(0),
    ...encodeUint32(256),
  ]
  return subtle.digest('SHA-256', new Uint8Array(input))
}

function encodeUint32(value: number): number[] {
  return [0, 0, value >> 8, value & 255]
}
