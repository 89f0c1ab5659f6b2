/** The fewest characters of a new passphrase, for whoever asks for one and whoever checks it. */
export const shortestPassphrase = 8
