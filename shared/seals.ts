/** How many values one data key may seal: with more, two of them might share a nonce (AES-GCM, random 96 bits). */
export const MAX_SEALS = 2 ** 32

/** From this count, a rotation of the data key is due. */
export const SEALS_DUE = 2 ** 31
