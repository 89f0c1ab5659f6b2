/** The substitution table of RFC 2268: 256 bytes of pi. */
const substitutions = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2179a59f587b34f1361456d8d09817d32' +
    'bd8f40eb86b77b0bf09521225c6b4e8254d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626' +
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed708e8eade8052eef784aa72ac354d6a2a' +
    '961ad2715a1549744b9fd05e0418a4ecc2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a90d38341bab33ffb0bb480c5fb9b1cd2e' +
    'c5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
)
const BLOCK = 8

/**
 * Decrypts RC2 in CBC mode and removes the padding. Node no longer has RC2, but the tools of macOS still encrypt the
 * certificates of a PKCS#12 file with it. The effective length of the key is its whole length. Throws if the padding
 * is not valid.
 */
export function decryptRc2(encrypted: Buffer, key: Buffer, iv: Buffer): Buffer {
  if (encrypted.length === 0 || encrypted.length % BLOCK !== 0) throw new Error('not whole blocks')
  const words = expandKey(key)
  const plain = Buffer.alloc(encrypted.length)
  let before = iv
  for (let at = 0; at < encrypted.length; at += BLOCK) {
    const block = encrypted.subarray(at, at + BLOCK)
    decryptBlock(block, words).forEach((word, index) => {
      plain.writeUInt16LE(word ^ before.readUInt16LE(2 * index), at + 2 * index)
    })
    before = block
  }
  const padding = plain.at(-1) ?? 0
  if (padding < 1 || padding > BLOCK) throw new Error('the padding is not valid')
  return plain.subarray(0, -padding)
}

function expandKey(key: Buffer): Uint16Array {
  const bytes = Buffer.alloc(128)
  key.copy(bytes)
  const getSubstitute = (index: number) => substitutions[index & 0xff] ?? 0
  const getByte = (index: number) => bytes[index] ?? 0
  for (let i = key.length; i < 128; i++) bytes[i] = getSubstitute(getByte(i - 1) + getByte(i - key.length))
  const first = 128 - key.length
  bytes[first] = getSubstitute(getByte(first))
  for (let i = first - 1; i >= 0; i--) bytes[i] = getSubstitute(getByte(i + 1) ^ getByte(i + key.length))
  return Uint16Array.from({ length: 64 }, (_, index) => bytes.readUInt16LE(2 * index))
}

/** Undoes 5 rounds of mixing, a mash, 6 rounds, a mash and 5 rounds. */
function decryptBlock(block: Buffer, words: Uint16Array): Uint16Array {
  const r = Uint16Array.from({ length: 4 }, (_, index) => block.readUInt16LE(2 * index))
  const getWord = (index: number) => r[index & 3] ?? 0
  const getKeyWord = (index: number) => words[index & 63] ?? 0
  for (let round = 15; round >= 0; round--) {
    for (let i = 3; i >= 0; i--) {
      const turns = [1, 2, 3, 5][i] ?? 0
      const turned = (getWord(i) >>> turns) | (getWord(i) << (16 - turns))
      r[i] =
        turned -
        getKeyWord(4 * round + i) -
        (getWord(i + 3) & getWord(i + 2)) -
        (~getWord(i + 3) & getWord(i + 1))
    }
    if (round === 11 || round === 5)
      for (let i = 3; i >= 0; i--) r[i] = getWord(i) - getKeyWord(getWord(i + 3))
  }
  return r
}
