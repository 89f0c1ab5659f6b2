export const strings = {
  confirmType: (word: string) => `Type ${word} to confirm`,
  changedElsewhere: (fields: readonly string[]) =>
    `Another program or window changed these fields while you were editing: ${fields.join(', ')}. Save again to overwrite that change, or close without saving to keep it.`,
} as const
