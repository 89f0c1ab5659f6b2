import { ConfigurationError, type ElementSettings } from './settings.ts'

const MAX_CHANGES = 30

/**
 * Limits how often a page may change the rules that validate a value. SECURITY: each validation result
 * reveals a little of a value that the page must not know.
 */
export class Revalidation {
  #times = 0

  /** Throws ConfigurationError if the rules differ and have changed too often. */
  checkChange(before: ElementSettings, after: ElementSettings): void {
    if (serializeRules(before) === serializeRules(after)) return
    if (this.#times === MAX_CHANGES) {
      throw new ConfigurationError(
        `The rules of an element that holds a value can be changed only ${MAX_CHANGES} times. Clear the element before you change them again.`,
      )
    }
    this.#times++
  }
}

function serializeRules({ options, cardTypes }: ElementSettings): string {
  const { validation, transform, skipLuhnValidation, maxElapsedExpirationYear } = options
  return JSON.stringify([
    String(validation),
    String(transform),
    skipLuhnValidation,
    maxElapsedExpirationYear,
    cardTypes,
  ])
}
