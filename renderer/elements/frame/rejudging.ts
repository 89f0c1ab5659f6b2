import { ConfigurationProblem, type Settings } from './settings.ts'

const mostTimes = 30

/**
 * Limits how often a page may change what a value is judged by. SECURITY: each answer tells the page a little of a value
 * that it must not know.
 */
export class Rejudging {
  #times = 0

  /** Throws a ConfigurationProblem if the options that judge differ once too often. */
  allow(before: Settings, after: Settings): void {
    if (rulesOf(before) === rulesOf(after)) return
    if (this.#times === mostTimes) {
      throw new ConfigurationProblem(
        `The rules of an element that holds a value can be changed ${mostTimes} times. Clear it before you change them again.`,
      )
    }
    this.#times++
  }
}

function rulesOf({ options, cardTypes }: Settings): string {
  const { validation, transform, skipLuhnValidation, maxElapsedExpirationYear } = options
  return JSON.stringify([
    String(validation),
    String(transform),
    skipLuhnValidation,
    maxElapsedExpirationYear,
    cardTypes,
  ])
}
