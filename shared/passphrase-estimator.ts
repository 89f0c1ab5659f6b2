import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Estimates how many guesses a passphrase withstands. Import on demand: it loads its dictionaries. */
export const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
