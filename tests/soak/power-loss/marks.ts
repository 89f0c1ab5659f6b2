/** Something in the vault or its folder, with its value; null if it is not there. */
export type Cell = readonly [key: string, value: string | null]

/** What the recorded program says about itself, in the order in which it happened. */
export type Mark =
  /** A step begins: it gives all of these cells their values, or none. The trace of its call is `step-<number>`. */
  | { readonly begins: number; readonly cells: readonly Cell[] }
  /** A step was answered. `cells` has those with ids that were not known when it began. */
  | { readonly answered: number; readonly cells?: readonly Cell[]; readonly isRecorded: boolean }
  /** A step was refused, so it changes nothing. */
  | { readonly refused: number }
  /** A webhook received the event that a token was created. */
  | { readonly received: string }

/** What the program that is recorded is told. */
export type SessionOrder = {
  readonly dataDir: string
  readonly marks: string
  readonly seed: number
  /** The number of steps of each of the lanes, which run at the same time, in each of the phases. */
  readonly steps: number
  readonly phases: number
  /** Whether documents are so large that the log is checkpointed, and begins again, while the vault is open. */
  readonly isLarge: boolean
}

/** What the program whose opening is recorded is told. */
export type OpeningOrder = { readonly dataDir: string; readonly passphrases: readonly string[] }

export const vaultName = 'work'

/** The clock of the session and of its checks, so that no session of an application expires in between. */
export const sessionTime = Date.parse('2030-01-01T00:00:00Z')

/** Protects the vault by a passphrase at the lowest cost. */
export const protectBy = (passphrase: string) => ({
  passphrase,
  argon2id: { memory_kib: 64, iterations: 1, parallelism: 1 },
})
