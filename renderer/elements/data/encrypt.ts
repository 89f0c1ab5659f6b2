import { createServiceError } from './errors.ts'
import { encodeBase64Url, encryptForKey, parsePublicKeyPem } from './jwe.ts'
import { isBranch } from './payload.ts'

type EncryptionKey = { readonly kid: string; readonly key: Uint8Array<ArrayBuffer> }
type EncryptTokenRequest = { readonly type?: unknown; readonly data: unknown }

/** Encrypts token requests with the vault's public key. */
export class Encryption {
  readonly #key: EncryptionKey
  readonly requests: unknown

  /** Reads the page's request. Throws if something is missing, before any other work. */
  constructor(model: unknown) {
    const request = isBranch(model) ? model : {}
    const pem = request.publicKeyPem ?? request.publicKeyPEM ?? request.public_key_pem ?? request.public_key
    const kid = request.keyId ?? request.key_id
    if (typeof pem !== 'string' || pem === '') throw createServiceError('Public key PEM is required')
    if (typeof kid !== 'string' || kid === '') throw createServiceError('Key ID is required')
    this.requests = request.tokenRequests ?? request.token_requests
    if (!isBranch(this.requests) || Object.keys(this.requests).length === 0) throw createNoTokensError()
    const all = isSingle(this.requests) ? [this.requests] : Object.values(this.requests)
    if (!all.every(isTokenRequest)) throw createNoTokensError()
    this.#key = { kid, key: parsePublicKeyPem(pem) }
  }

  get isSingle(): boolean {
    return isSingle(this.requests)
  }

  get keyQuery(): string {
    const { kid, key } = this.#key
    return String(new URLSearchParams({ kid, x: encodeBase64Url(key) }))
  }

  /** Returns `{encrypted, type}`, or for several requests a map from each request's name to such an object. */
  async encryptRequests(requests: unknown): Promise<unknown> {
    if (isSingle(requests)) return this.#encryptToken(requests as EncryptTokenRequest)
    const all = Object.entries(requests as Record<string, EncryptTokenRequest>).map(
      async ([name, each]) => [name, await this.#encryptToken(each)] as const,
    )
    return Object.fromEntries(await Promise.all(all))
  }

  async #encryptToken({ type, data }: EncryptTokenRequest): Promise<{ encrypted: string; type: unknown }> {
    return { encrypted: await encryptForKey(this.#key, JSON.stringify(data)), type }
  }
}

const isSingle = (requests: unknown): boolean => isBranch(requests) && typeof requests.type === 'string'

const isTokenRequest = (request: unknown): boolean => isBranch(request) && request.data !== undefined

const createNoTokensError = () => createServiceError('No valid tokens found to encrypt')
