/**
 * The contents of a program in which @electron/fuses finds fuses: a sentinel, a version, the number of fuses, and a
 * character per fuse.
 */
export const fuseWire = Buffer.concat([
  Buffer.from('a program … dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('101101011'),
  Buffer.from('… and more of it'),
])
