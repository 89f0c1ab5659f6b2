import { createHmac, createSecretKey } from 'node:crypto'
import { createInvalidError } from '../../../../shared/errors.ts'
import { defineFilter, type ExpressionFilter } from '../filter.ts'
import { defineOptionalTextParam } from '../params.ts'
import { encodeBase16, formatValue, type Value } from '../value.ts'

const algorithms: ReadonlyMap<string, string> = new Map([
  ['sha-1', 'sha1'],
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
  ['sha1', 'sha1'],
  ['sha256', 'sha256'],
  ['sha512', 'sha512'],
])

/**
 * `hmac: algorithm, key`, or `hmac: key`, which uses sha-256 (rule E-02). Returns bytes for `to_base16` and
 * `to_base64`; without either, the result is base16.
 */
export const hmac = defineFilter(
  'hmac',
  [defineOptionalTextParam('algorithm'), defineOptionalTextParam('key')],
  (first, second) => {
    const [name, key] = second === undefined ? ['sha-256', first] : [first ?? 'sha-256', second]
    const algorithm = algorithms.get(name.toLowerCase())
    if (!algorithm) throw createInvalidError('', 'must pass sha-1, sha-256 or sha-512 to the filter hmac')
    // SECURITY: a single argument that names an algorithm means that the key was forgotten; the name must not be
    // used as the key.
    if (!key || (second === undefined && algorithms.has(key.toLowerCase())))
      throw createInvalidError('', 'must pass a key to the filter hmac')
    const secret = createSecretKey(key, 'utf8')
    return (value) => createHmac(algorithm, secret).update(toBytes(value)).digest()
  },
)

/** `to_base64` (rule E-02). Encodes the UTF-8 bytes of a string, or the bytes from `hmac`. Rejects null. */
export const toBase64 = defineEncodingFilter('to_base64', (bytes) => Buffer.from(bytes).toString('base64'))

/** `to_base16` (rule E-02). Encodes the UTF-8 bytes of a string, or those of `hmac`, in upper case. Rejects null. */
export const toBase16 = defineEncodingFilter('to_base16', encodeBase16)

function defineEncodingFilter(name: string, encode: (bytes: Uint8Array) => string): ExpressionFilter {
  const encodeValue = (value: Value): string => {
    if (value === null) throw createInvalidError('', `must not pass null to the filter ${name}`)
    return encode(toBytes(value))
  }
  return defineFilter(name, [], () => encodeValue, { takes_null: true })
}

function toBytes(value: Value): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(formatValue(value), 'utf8')
}
