import fs from 'node:fs'
import { isObject, type Json, type JsonObject, readJson } from '../../../shared/json.ts'
import { UsageError } from './usage-error.ts'

/** Fields of the command line, each `name=value`: as text, or as JSON if they are. */
export type Fields = { readonly field?: readonly string[]; readonly typed?: readonly string[] }

/**
 * Builds an object from fields. `data[number]=1` sets a member of a member, and `rules[]=1` appends to a list. Throws a
 * usage error for names that are malformed or contradict each other, and for a file that does not exist.
 */
export function buildBody({ field = [], typed = [] }: Fields): JsonObject {
  const body: JsonObject = {}
  for (const [name, value] of field.map(splitField)) setMember(body, parseName(name), value)
  for (const [name, value] of typed.map(splitField)) setMember(body, parseName(name), toTyped(value))
  return body
}

export function addToQuery(path: string, { field = [], typed = [] }: Fields): string {
  const fields = [...field, ...typed].map(splitField)
  if (fields.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`
}

function splitField(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Returns the path of `data[number]`: `data`, then `number`. The last name of `rules[]` is empty. */
function parseName(name: string): string[] {
  const [first = '', ...rest] = name.split('[')
  if (first === '' || rest.some((each) => !each.endsWith(']')))
    throw new UsageError('The name of a field is like type, data[number] or permissions[].')
  return [first, ...rest.map((each) => each.slice(0, -1))]
}

/** `@FILE` is the content of a file, JSON is its value, and anything else is text. */
function toTyped(value: string): Json {
  if (value.startsWith('@')) return readInput(value.slice(1)).toString()
  try {
    return readJson(value)
  } catch {
    return value
  }
}

/** Reads a file, or standard input for `-`. Throws a usage error if the file does not exist. */
export function readInput(file: string): Buffer {
  try {
    return fs.readFileSync(file === '-' ? 0 : file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    throw new UsageError(`There is no file ${file}.`)
  }
}

function setMember(body: JsonObject, path: readonly string[], value: Json): void {
  const [name = '', next, ...rest] = path
  const before = Object.hasOwn(body, name) ? body[name] : undefined
  const setOwn = (member: Json) =>
    // `__proto__` is a member like any other.
    Object.defineProperty(body, name, { value: member, enumerable: true, writable: true, configurable: true })
  if (next === undefined) setOwn(value)
  else if (next === '' && rest.length === 0 && (before === undefined || Array.isArray(before)))
    setOwn([...(before ?? []), value])
  else if (next !== '' && (before === undefined || isObject(before))) {
    const member = before ?? {}
    setOwn(member)
    setMember(member, [next, ...rest], value)
  } else throw new UsageError(`The fields of ${name} contradict each other.`)
}
