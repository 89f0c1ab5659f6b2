import { CofferError, type FieldErrors } from './errors.ts'
import { isObject, toDouble, WrittenNumber } from './json.ts'
import { findNearestName } from './nearest-name.ts'
import { joinPaths, MAX_ERROR_PATHS, sanitizeName } from './problems.ts'
import { getIssueMessage } from './schema-messages.ts'
import { z } from './zod.ts'

z.config({ customError: getIssueMessage })

/** Formats a zod path like the paths in the errors of the API: `data.items[0].name`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? sanitizeName(String(part)) : `${text}.${sanitizeName(String(part))}`
  }, '')
}

function addMessage(errors: FieldErrors, path: string, message: string): void {
  const messages = errors[path]
  if (messages?.includes(message)) return
  if (messages) messages.push(message)
  else errors[path] = [message]
}

/** A member or parameter that was ignored, by its path, and the known name that it may be a misspelling of. */
export type IgnoredMember = { readonly name: string; readonly nearest?: string | undefined }

/** The maximum number of ignored members that are named, so that no body causes a response larger than itself. */
const MAX_IGNORED = 20

const strictSchemas = new WeakSet<z.ZodType>()

/** Returns a schema of objects whose unknown members are always errors, even where others are ignored (rule A-08). */
export function keepStrict<T extends z.ZodObject>(schema: T): T {
  strictSchemas.add(schema)
  return schema
}

/** Whether unknown members of a schema's objects are always errors. */
export function isKeptStrict(schema: z.ZodType): boolean {
  return strictSchemas.has(schema)
}

/** Where a parser collects the members that it ignores. `under` is the path of the input in the request. */
export type Ignoring = { readonly ignored: IgnoredMember[]; readonly under?: string }

/**
 * Parses an input by a schema. If the schema rejects a `WrittenNumber`, such as a priority of `1.0`, replaces it in the
 * input with the double of the same value (rule A-14). With `ignoring`, removes unknown members from the input and
 * collects them; without it, they are errors (rule A-08). Throws what `createValidationError` returns.
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown, ignoring?: Ignoring): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const hasRemoved = ignoring !== undefined && removeUnknown(schema, input, ignoring)
  const hasReplaced = takeDoubles(input, result.error.issues)
  if (hasRemoved || hasReplaced) return parseInput(schema, input, ignoring)
  throw createValidationError(result.error)
}

/** Removes members of an object by their names and collects those that it had. */
export function ignoreMembers(object: object, names: readonly string[], ignored: IgnoredMember[]): void {
  for (const name of names.filter((each) => Object.hasOwn(object, each))) {
    Reflect.deleteProperty(object, name)
    addIgnored(ignored, () => ({ name: sanitizeName(name) }))
  }
}

function addIgnored(ignored: IgnoredMember[], describe: () => IgnoredMember): void {
  if (ignored.length < MAX_IGNORED) ignored.push(describe())
}

/** Removes the unknown members of an input and collects them. Returns false if there was none. */
function removeUnknown(schema: z.ZodType, input: unknown, { ignored, under = '' }: Ignoring): boolean {
  let hasRemoved = false
  for (const { path, keys, known } of listUnknown(schema, input)) {
    const parent = path.reduce(getField, input)
    for (const key of keys) {
      if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) continue
      hasRemoved = Reflect.deleteProperty(parent, key) || hasRemoved
      addIgnored(ignored, () => ({
        name: joinPaths(under, formatPath([...path, key])),
        nearest: findNearestName(key, known),
      }))
    }
  }
  return hasRemoved
}

type UnknownMembers = {
  readonly path: readonly PropertyKey[]
  readonly keys: readonly string[]
  readonly known: readonly string[]
}

/** Runs a schema and returns what it parsed, even if parts are faulty, and its own issues, which name their schema. */
function runSchema(schema: z.ZodType, input: unknown): z.core.ParsePayload {
  const payload = schema._zod.run({ value: input, issues: [] }, { async: false })
  if (payload instanceof Promise) throw new Error('A schema of an input must not be asynchronous.')
  return payload
}

/**
 * Parses the sound part of an input whose other members are faulty. Members that are missing although the schema
 * requires them are absent from the result. Returns undefined if no part is sound.
 */
export function parseSoundPart<T extends z.ZodType>(schema: T, input: unknown): z.output<T> | undefined {
  const faulty = runSchema(schema, input).issues.flatMap((issue) => {
    const path = issue.path ?? []
    return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
  })
  // One error names no more members than these.
  if (faulty.length >= MAX_ERROR_PATHS) return undefined
  const { issues, value } = runSchema(schema, faulty.reduce(omitAt, input))
  const isMissing = (issue: z.core.$ZodRawIssue) => issue.code === 'invalid_type' && issue.input === undefined
  return issues.every(isMissing) ? (value as z.output<T>) : undefined
}

/** Returns a copy of a value without the member at a path. A list on the path is left out as a whole. */
function omitAt(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof name !== 'string' || !isObject(value)) return value
  const { [name]: member, ...others } = value
  const isLast = rest.length === 0 || typeof rest[0] === 'number'
  return isLast || member === undefined ? others : { ...others, [name]: omitAt(member, rest) }
}

/**
 * Adds to the errors of a schema what is wrong with the sound part of the same input (rule A-05). Leaves out what is
 * about a faulty member, or depends on one: its message names it.
 */
export function mergeErrors(faulty: FieldErrors, others: FieldErrors): CofferError {
  const errors: FieldErrors = Object.assign(Object.create(null), faulty)
  const removed = Object.keys(faulty).map((path) => path.replace(/\[.*/, ''))
  const isAbout = (path: string, messages: readonly string[]) =>
    removed.some((each) => {
      const name = each.split('.').at(-1) ?? each
      return (
        path === each ||
        path.startsWith(`${each}.`) ||
        path.startsWith(`${each}[`) ||
        messages.some((message) => message.split(/\W+/).includes(name))
      )
    })
  for (const [path, messages] of Object.entries(others)) {
    if (Object.keys(errors).length >= MAX_ERROR_PATHS) break
    if (!isAbout(path, messages)) errors[path] = messages
  }
  return toInvalidError(errors)
}

/** Lists the unknown members that may be ignored. */
function listUnknown(schema: z.ZodType, input: unknown): UnknownMembers[] {
  return runSchema(schema, input).issues.flatMap((issue) => toUnknown(issue, []))
}

function toUnknown(
  issue: z.core.$ZodRawIssue | z.core.$ZodIssue,
  parent: readonly PropertyKey[],
): UnknownMembers[] {
  const path = [...parent, ...(issue.path ?? [])]
  if (issue.code === 'unrecognized_keys') {
    const object = 'inst' in issue && issue.inst instanceof z.ZodObject ? issue.inst : undefined
    if (object && strictSchemas.has(object)) return []
    return [{ path, keys: issue.keys, known: Object.keys(object?.shape ?? {}) }]
  }
  if (issue.code !== 'invalid_union') return []
  // Of the alternatives, the first that only unknown members exclude is meant.
  const meant = issue.errors.find((each) => each.every(({ code }) => code === 'unrecognized_keys'))
  return (meant ?? []).flatMap((each) => toUnknown(each, path))
}

/** Replaces each rejected `WrittenNumber` with its double. Returns false if there was none. */
function takeDoubles(input: unknown, issues: readonly z.core.$ZodIssue[]): boolean {
  let hasReplaced = false
  for (const { path } of issues) {
    const parent = path.slice(0, -1).reduce(getField, input)
    const name = path.at(-1)
    const value = name === undefined ? undefined : getField(parent, name)
    const double = value instanceof WrittenNumber ? toDouble(value) : undefined
    if (double === undefined) continue
    hasReplaced = Reflect.set(parent as object, name as PropertyKey, double) || hasReplaced
  }
  return hasReplaced
}

function getField(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Whether an issue reports the safe integers although another reports a narrower limit for the member. */
function isOverlapped(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[]): boolean {
  if ((issue.code !== 'too_big' && issue.code !== 'too_small') || !('note' in issue)) return false
  return issues.some(
    (other) =>
      other !== issue && other.code === issue.code && formatPath(other.path) === formatPath(issue.path),
  )
}

/** Returns the error for the issues of a schema: member and expectation, never the value (rules ). */
export function createValidationError(error: z.ZodError): CofferError {
  const errors: FieldErrors = Object.create(null)
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, MAX_ERROR_PATHS))
        addMessage(errors, formatPath([...issue.path, key]), 'is not a member of this request')
    } else if (!isOverlapped(issue, error.issues))
      addMessage(errors, formatPath(issue.path) || 'body', issue.message)
    if (Object.keys(errors).length >= MAX_ERROR_PATHS) break
  }
  return toInvalidError(errors)
}

function toInvalidError(errors: FieldErrors): CofferError {
  const names = Object.keys(errors)
  const detail = `The request is not valid: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`
  return new CofferError('invalid', detail, { errors: { ...errors } })
}
