import { failed } from './errors.ts'
import { base64url, encryptedFor, keyOfPem } from './jwe.ts'
import { isBranch } from './payload.ts'

type Key = { readonly kid: string; readonly key: Uint8Array<ArrayBuffer> }
type Requested = { readonly type?: unknown; readonly data: unknown }

/** Encrypts what tokens are to be made of. */
export class Encryption {
  readonly #key: Key
  readonly requests: unknown

  /** What the page asked for. Throws before any work if a part of it is missing. */
  constructor(model: unknown) {
    const asked = isBranch(model) ? model : {}
    const pem = asked.publicKeyPem ?? asked.publicKeyPEM ?? asked.public_key_pem ?? asked.public_key
    const kid = asked.keyId ?? asked.key_id
    if (typeof pem !== 'string' || pem === '') throw failed('Public key PEM is required')
    if (typeof kid !== 'string' || kid === '') throw failed('Key ID is required')
    this.requests = asked.tokenRequests ?? asked.token_requests
    if (!isBranch(this.requests) || Object.keys(this.requests).length === 0) throw noTokens()
    const all = isSingle(this.requests) ? [this.requests] : Object.values(this.requests)
    if (!all.every(isRequested)) throw noTokens()
    this.#key = { kid, key: keyOfPem(pem) }
  }

  /** Whether one token was asked for, or several by name. */
  get isSingle(): boolean {
    return isSingle(this.requests)
  }

  /** The key's names for the vault. */
  get named(): string {
    const { kid, key } = this.#key
    return String(new URLSearchParams({ kid, x: base64url(key) }))
  }

  /** `{encrypted, type}`, or a map of them under the same names. */
  async result(requests: unknown): Promise<unknown> {
    if (isSingle(requests)) return this.#encrypted(requests as Requested)
    const all = Object.entries(requests as Record<string, Requested>).map(
      async ([name, each]) => [name, await this.#encrypted(each)] as const,
    )
    return Object.fromEntries(await Promise.all(all))
  }

  async #encrypted({ type, data }: Requested): Promise<{ encrypted: string; type: unknown }> {
    return { encrypted: await encryptedFor(this.#key, JSON.stringify(data)), type }
  }
}

const isSingle = (requests: unknown): boolean => isBranch(requests) && typeof requests.type === 'string'

const isRequested = (request: unknown): boolean => isBranch(request) && request.data !== undefined

const noTokens = () => failed('No valid tokens found to encrypt')
