/** Tags of DER. */
const SEQUENCE = 0x30
const PERMITTED = 0xa0
const EXCLUDED = 0xa1
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
/** An address and a mask of zeros stand for every address: of IPv4 and of IPv6. */
const everyAddress = [new Uint8Array(8), new Uint8Array(32)]

/**
 * Encodes the extension `nameConstraints` (RFC 5280, 4.2.1.10): only these DNS names and names below them are permitted,
 * and no IP address.
 */
export function createNameConstraints(names: readonly string[]): Uint8Array<ArrayBuffer> {
  const permitted = names.map((name) =>
    encodeItem(SEQUENCE, encodeItem(DNS_NAME, Buffer.from(name, 'ascii'))),
  )
  const excluded = everyAddress.map((bytes) => encodeItem(SEQUENCE, encodeItem(IP_ADDRESS, bytes)))
  return encodeItem(SEQUENCE, encodeItem(PERMITTED, ...permitted), encodeItem(EXCLUDED, ...excluded))
}

function encodeItem(tag: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Uint8Array.from([tag, ...size, ...content])
}
