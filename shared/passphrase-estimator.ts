import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Estimates how many guesses a passphrase withstands; loaded with its dictionaries when first needed. */
export const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
