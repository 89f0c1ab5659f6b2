export const strings = {
  confirmType: (word: string) => `Type ${word} to confirm`,
} as const
