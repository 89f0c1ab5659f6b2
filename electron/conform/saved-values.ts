import { randomBytes, randomInt } from 'node:crypto'
import type { Expected } from './statement.ts'

/** A name in a template: `${token}`. */
const NAMED = /\$\{(\w+)\}/g
const ONLY_NAMED = /^\$\{(\w+)\}$/
/** Shorter values are words such as `visa`, which are not replaced in a report. */
const MIN_HIDDEN_LENGTH = 8
const MAX_SHOWN_LENGTH = 400

/** The values that the steps of one statement save, under their names. */
export class SavedValues {
  readonly #values: Map<string, unknown>
  readonly #keys: readonly (string | undefined)[]

  constructor(prefix: string, keys: readonly (string | undefined)[]) {
    this.#keys = keys
    this.#values = new Map<string, unknown>([['prefix', prefix]])
  }

  setValue(name: string, value: unknown): void {
    this.#values.set(name, value)
  }

  /** Returns the value of a name. Throws an Error if no step has saved it. */
  getValue(name: string): unknown {
    if (/^unique\d*$/.test(name) && !this.#values.has(name))
      this.#values.set(name, randomBytes(8).toString('hex'))
    if (name === 'uniqueNumber' && !this.#values.has(name)) this.#values.set(name, randomInt(2 ** 47))
    if (!this.#values.has(name)) throw new Error(`No step saves \${${name}}.`)
    return this.#values.get(name)
  }

  /** Replaces the names in a string. */
  fillText(text: string, escapeValue: (value: unknown) => string = String): string {
    return text.replaceAll(NAMED, (_whole, name: string) => escapeValue(this.getValue(name)))
  }

  /** Replaces the names in every string of a body or an expectation. A string that is only a name becomes its value. */
  fillValue(value: Expected): Expected
  fillValue(value: unknown): unknown
  fillValue(value: unknown): unknown {
    if (typeof value === 'string') {
      const only = ONLY_NAMED.exec(value)?.[1]
      return only === undefined ? this.fillText(value) : this.getValue(only)
    }
    if (Array.isArray(value)) return value.map((each) => this.fillValue(each))
    if (typeof value !== 'object' || value === null) return value
    if ('$' in value && value.$ === 'pattern' && 'pattern' in value && typeof value.pattern === 'string')
      return {
        ...value,
        pattern: this.fillText(value.pattern, (each) => String(each).replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')),
      }
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.fillText(name), this.fillValue(each)]),
    )
  }

  /**
   * Returns a text in which saved values are their names again, without any other key or id, and not too long. SECURITY: a
   * report may be sent to others, so it contains neither.
   */
  hideValues(text: string): string {
    const named = [...this.#values]
      .flatMap(([name, value]) =>
        typeof value === 'string' && value.length >= MIN_HIDDEN_LENGTH ? [{ name, value }] : [],
      )
      .toSorted((one, other) => other.value.length - one.value.length)
    const hidden = [
      ...named.map(({ name, value }) => ({ value, shown: `\${${name}}` })),
      ...this.#keys.map((value = '') => ({ value, shown: '<key>' })),
    ].reduce((rest, { value, shown }) => (value === '' ? rest : rest.replaceAll(value, shown)), text)
    const shown = hidden
      .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, '<id>')
      .replaceAll(/\bkey_\w+/g, '<key>')
      .replaceAll(/[\w-]{32,}/g, ({ length }) => `<${length} characters>`)
    return shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…` : shown
  }
}

/** Returns the value at a JSON pointer, or undefined. */
export function findAtPointer(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? Reflect.get(value, part)
          : undefined,
      body,
    )
}
