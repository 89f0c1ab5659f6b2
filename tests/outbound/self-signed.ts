import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Creates a key and a self-signed certificate for `name`, valid from a day ago until tomorrow. Both are PEM. */
export function createSelfSignedCertificate(name: string): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = encodeDer(0x30, encodeOid('2a8648ce3d040302'))
  const subject = encodeDer(
    0x30,
    encodeDer(0x31, encodeDer(0x30, encodeOid('550403'), encodeDer(0x0c, Buffer.from(name)))),
  )
  const day = 24 * 60 * 60 * 1000
  const times = [Date.now() - day, Date.now() + day].map((at) =>
    encodeDer(0x17, Buffer.from(formatUtcTime(at))),
  )
  const serial = encodeDer(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)]))
  const content = encodeDer(
    0x30,
    serial,
    algorithm,
    subject,
    encodeDer(0x30, ...times),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = encodeDer(0x03, Buffer.of(0), sign('sha256', content, privateKey))
  const bytes = encodeDer(0x30, content, algorithm, signature)
  const lines = bytes.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function encodeOid(hex: string): Buffer {
  return encodeDer(0x06, Buffer.from(hex, 'hex'))
}

function formatUtcTime(at: number): string {
  return `${new Date(at).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`
}

/** Encodes one DER element: tag, length, content. */
function encodeDer(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...head), content])
}
