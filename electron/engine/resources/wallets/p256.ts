import { createPublicKey, type KeyObject } from 'node:crypto'

const COORDINATE_LENGTH = 32

/** The bytes before an uncompressed point in a `SubjectPublicKeyInfo` that names the curve (RFC 5480). */
const NAMED_CURVE = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

/** Whether a key is on the curve that both wallets use. */
export function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

/** Returns a public key as an uncompressed point of 65 bytes. */
export function exportPoint(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

/** Imports an uncompressed point. Throws any error if it is not a point of the curve. */
export function importPoint(point: Buffer): KeyObject {
  if (point.length !== 1 + 2 * COORDINATE_LENGTH || point[0] !== 4)
    throw new Error('not an uncompressed point')
  const [x, y] = [point.subarray(1, 1 + COORDINATE_LENGTH), point.subarray(1 + COORDINATE_LENGTH)]
  const jwk = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') }
  return createPublicKey({ key: jwk, format: 'jwk' })
}

/**
 * Imports a `SubjectPublicKeyInfo` that names the curve. Throws any error for another one. SECURITY: OpenSSL would also
 * take a key that brings its own parameters, of which it does not check all.
 */
export function importNamedPoint(key: Buffer): KeyObject {
  if (!key.subarray(0, NAMED_CURVE.length).equals(NAMED_CURVE)) throw new Error('not a key of P-256')
  return importPoint(key.subarray(NAMED_CURVE.length))
}
