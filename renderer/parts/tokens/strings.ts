export const strings = {
  noMask: 'hidden, no mask',
  leftOut: 'left out',
  find: 'Paste a token ID or choose a recent one',
} as const
