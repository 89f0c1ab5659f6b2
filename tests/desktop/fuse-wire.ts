/** A program with what @electron/fuses looks for: a sentinel, a version, how many fuses, and one character each. */
export const fuseWire = Buffer.concat([
  Buffer.from('a program … dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('101101011'),
  Buffer.from('… and more of it'),
])
