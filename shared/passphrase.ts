/** The minimum length of a new passphrase, for both the prompts and the checks. */
export const MIN_PASSPHRASE_LENGTH = 8

/**
 * The maximum number of characters to estimate. More would cost disproportionately much time, and ignoring them is
 * safe, because further characters only add strength.
 */
const MAX_ESTIMATED_LENGTH = 64

export type Strength = {
  /** From 0 (among the first guesses) to 4 (practically impossible to guess). */
  readonly score: 0 | 1 | 2 | 3 | 4
  /** Why the passphrase is rejected, worded to follow `it`, such as `is a date`; absent if it is accepted. */
  readonly problem?: string
}

/** Why a passphrase is easy to guess, by the estimator's name for that reason. */
const reasons: Readonly<Record<string, string>> = {
  topTen: 'is among the first passphrases that are guessed',
  topHundred: 'is among the first passphrases that are guessed',
  common: 'is a well-known passphrase',
  similarToCommon: 'is a well-known passphrase with small changes',
  simpleRepeat: 'repeats itself',
  extendedRepeat: 'repeats itself',
  sequences: 'is a sequence that is easy to guess',
  straightRow: 'is a row of keys on the keyboard',
  keyPattern: 'is a pattern of keys on the keyboard',
  dates: 'is a date',
  recentYears: 'is a year',
  associatedYears: 'is a year',
  userInputs: 'is the name of the vault or of Coffer, with little added',
}

type Estimator = typeof import('./passphrase-estimator.ts').estimator
let loaded: Promise<Estimator> | undefined

/**
 * Estimates how hard a new passphrase is to guess. `userInputs`, such as the vault's name, count as easy guesses. The
 * result never contains any part of the passphrase.
 */
export async function estimateStrength(passphrase: string, userInputs: readonly string[]): Promise<Strength> {
  // Loaded on demand: most starts neither create a vault nor change a passphrase.
  loaded ??= import('./passphrase-estimator.ts').then(({ estimator }) => estimator)
  const estimator = await loaded
  const estimated = [...passphrase.normalize('NFKC')].slice(0, MAX_ESTIMATED_LENGTH).join('')
  const { score, feedback } = estimator.check(estimated, ['coffer', ...userInputs])
  // SECURITY: the estimator and the regular expression engine retain their last input, so this replaces the passphrase
  // there.
  estimator.check('nothing')
  if (score > 1) return { score }
  return { score, problem: reasons[feedback.warning ?? ''] ?? 'is a single word, or as short as one' }
}
