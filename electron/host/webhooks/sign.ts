import { constants, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'

const signInPool = promisify<string, Buffer, SignOptions, Buffer>(sign)

type SignOptions = { readonly key: KeyObject; readonly padding: number; readonly saltLength: number }

/**
 * Returns the signature of a body in base64: RSA-PSS with SHA-256 (rule W-03). It is computed in the thread pool,
 * because it takes longer than a request. The salt is as long as the hash, which every library accepts by default.
 */
export async function signDelivery(body: Buffer, key: KeyObject): Promise<string> {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants
  return (await signInPool('sha256', body, { key, padding, saltLength })).toString('base64')
}
