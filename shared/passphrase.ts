/** The minimum length of a new passphrase, for both the prompts and the checks. */
export const shortestPassphrase = 8
