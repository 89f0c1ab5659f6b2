import { lengthOf } from '../../../shared/characters.ts'
import { computable, isNumber, type Json } from '../../../shared/json.ts'

/** A parameter of a filter. `read` returns undefined for a value it does not accept. */
export type Param<T> = {
  readonly name: string
  readonly expected: string
  readonly fallback: T | undefined
  readonly optional?: boolean
  readonly read: (arg: Json) => T | undefined
}

/** A whole number from 0 to 999,999. */
export function count(name: string, fallback?: number): Param<number> {
  const read = (arg: Json) => (/^\d{1,6}$/.test(plain(computable(arg))) ? Number(arg) : undefined)
  return { name, expected: 'a whole number', fallback, read }
}

/** Exactly one character. */
export function char(name: string, fallback?: string): Param<string> {
  const read = (arg: Json) => (/^.$/su.test(plain(arg)) ? plain(arg) : undefined)
  return { name, expected: 'one character', fallback, read }
}

/** `true` or `false`, as a boolean or as text. */
export function flag(name: string, fallback: boolean): Param<boolean> {
  const read = (arg: Json) => {
    const text = plain(arg).toLowerCase()
    return text === 'true' ? true : text === 'false' ? false : undefined
  }
  return { name, expected: "'true' or 'false'", fallback, read }
}

/** A short text, such as the characters to keep. */
export function text(name: string, fallback?: string): Param<string> {
  const read = (arg: Json) => (isPlain(arg) ? plain(arg) : undefined)
  return { name, expected: 'a text of at most 2,000 characters', fallback, read }
}

/** An optional text. */
export function optionalText(name: string): Param<string | undefined> {
  return { ...text(name), optional: true }
}

function isPlain(arg: Json): boolean {
  return (typeof arg !== 'object' || arg === null || isNumber(arg)) && lengthOf(plain(arg)) <= 2_000
}

function plain(arg: Json): string {
  return typeof arg === 'object' && !isNumber(arg) ? '' : String(arg)
}
