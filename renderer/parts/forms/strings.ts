export const strings = {
  confirmType: (word: string) => `Type ${word} to confirm`,
  changedElsewhere: (fields: readonly string[]) =>
    `Changed elsewhere while you edited it: ${fields.join(', ')}. Save again to replace it, or close without saving to keep it.`,
} as const
