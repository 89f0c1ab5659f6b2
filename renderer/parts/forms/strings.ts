export const strings = {
  confirmType: (word: string) => `Type ${word} to confirm`,
  gone: 'This was deleted elsewhere while you were editing it, so it cannot be saved. Your input is still here.',
  goneAgain:
    'This was deleted elsewhere while you were editing it. Your input is still here: create it again as something new, or close.',
  createAgain: 'Create it again',
  input: 'input',
  copyInput: 'Copy the input',
  changedElsewhere: (fields: readonly string[]) =>
    `Another program or window changed these fields while you were editing: ${fields.join(', ')}. Save again to overwrite that change, or close without saving to keep it.`,
} as const
