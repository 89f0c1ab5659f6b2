export const strings = {
  noMask: 'hidden, no mask',
  leftOut: 'left out',
} as const
