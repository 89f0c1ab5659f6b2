import { createHash, X509Certificate } from 'node:crypto'

/** The password that Java needs to check a store. It protects nothing: the store holds certificates only. */
export const STORE_PASSWORD = 'changeit'

const TRUSTED_CERTIFICATE = 2
const header = Buffer.from('feedfeed00000002', 'hex')

/** Creates a JKS of trusted certificates in PEM, which every version of Java reads. */
export function createKeyStore(certificates: readonly string[]): Buffer {
  const entries = certificates.map((pem, at) => {
    const { raw } = new X509Certificate(pem)
    const createdAt = Buffer.alloc(8)
    return Buffer.concat([
      toInt32(TRUSTED_CERTIFICATE),
      toUtf(`coffer-${at}`),
      createdAt,
      toUtf('X.509'),
      toInt32(raw.length),
      raw,
    ])
  })
  const content = Buffer.concat([header, toInt32(certificates.length), ...entries])
  // Java's password is in UTF-16, the high byte first.
  const password = Buffer.from(STORE_PASSWORD, 'utf16le').swap16()
  const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(content).digest()
  return Buffer.concat([content, digest])
}

function toInt32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** Java's form of a string: two bytes of length, then ASCII. */
function toUtf(text: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([length, Buffer.from(text, 'ascii')])
}
