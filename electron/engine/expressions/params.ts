import { countCodePoints } from '../../../shared/characters.ts'
import { isNumber, type Json, toComputable } from '../../../shared/json.ts'

/** A parameter of a filter. `read` returns undefined for an invalid value. */
export type FilterParam<T> = {
  readonly name: string
  readonly expected: string
  readonly fallback: T | undefined
  readonly optional?: boolean
  readonly read: (arg: Json) => T | undefined
}

/** Defines a parameter for an integer from 0 to 999,999. */
export function defineCountParam(name: string, fallback?: number): FilterParam<number> {
  const readCount = (arg: Json) =>
    /^\d{1,6}$/.test(toPlainText(toComputable(arg))) ? Number(arg) : undefined
  return { name, expected: 'an integer from 0 to 999,999', fallback, read: readCount }
}

/** Defines a parameter for exactly one character. */
export function defineCharParam(name: string, fallback?: string): FilterParam<string> {
  const readChar = (arg: Json) => (/^.$/su.test(toPlainText(arg)) ? toPlainText(arg) : undefined)
  return { name, expected: 'one character', fallback, read: readChar }
}

/** Defines a parameter for `true` or `false`, as a boolean or as text. */
export function defineFlagParam(name: string, fallback: boolean): FilterParam<boolean> {
  const readFlag = (arg: Json) => {
    const text = toPlainText(arg).toLowerCase()
    return text === 'true' ? true : text === 'false' ? false : undefined
  }
  return { name, expected: "'true' or 'false'", fallback, read: readFlag }
}

/** Defines a parameter for text of at most 2,000 characters, such as the characters to keep. */
export function defineTextParam(name: string, fallback?: string): FilterParam<string> {
  const readText = (arg: Json) => (isPlain(arg) ? toPlainText(arg) : undefined)
  return { name, expected: 'text of at most 2,000 characters', fallback, read: readText }
}

export function defineOptionalTextParam(name: string): FilterParam<string | undefined> {
  return { ...defineTextParam(name), optional: true }
}

function isPlain(arg: Json): boolean {
  return (
    (typeof arg !== 'object' || arg === null || isNumber(arg)) && countCodePoints(toPlainText(arg)) <= 2_000
  )
}

function toPlainText(arg: Json): string {
  return typeof arg === 'object' && !isNumber(arg) ? '' : String(arg)
}
