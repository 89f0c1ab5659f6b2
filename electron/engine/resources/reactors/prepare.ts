import { assertExactNumbers, hasInexact } from '../../../../shared/code-args.ts'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { type Json, readJson } from '../../../../shared/json.ts'
import { assertJsonSize } from '../../../../shared/safe-json.ts'
import { formatValue } from '../../expressions/value.ts'
import type { Context } from '../../pipeline/context.ts'
import { toApplicationContext } from '../callables/application.ts'
import { openConfiguration } from '../callables/configuration.ts'
import { requirePackages } from '../callables/packages.ts'
import { type CodeRuntime, readRuntime } from '../callables/runtime.ts'
import { createMissingError } from '../crud.ts'
import { type ProxyExpression, splitProxyExpressions } from '../proxies/expressions.ts'
import { appendAll, findSecrets } from '../proxies/secrets.ts'
import { ExpressionValues, type InsertedToken, type TokenUse } from '../proxies/values.ts'
import { mapPayload } from '../tokenize/payload.ts'
import type { RunResponse } from './run-response.ts'
import { findReactor, parseRuntime } from './store.ts'

/** The maximum size of the input of code, in bytes of JSON (rule F-03). */
const MAX_ARGS_BYTES = 1024 * 1024

/** The rules for inserting token values into the arguments of code (rule F-03). */
export const argsTokenUse: TokenUse = {
  limit: { of: 'expressions', number: 100 },
  using: ['reactor:invoke', 'token:use'],
  byOwner: true,
}

const TAKES_INEXACT =
  'uses a number from a token that JavaScript cannot represent exactly; convert it to a string with to_string'

/** Code with its arguments, ready to run (rule F-03). SECURITY: it contains plaintext. */
export type PreparedRun = {
  readonly reactor_id: string | null
  /** The name of the reactor; null for code that is not stored. */
  readonly name: string | null
  readonly code: string
  readonly runtime: CodeRuntime
  /** The arguments as JSON text, with expressions replaced. */
  readonly args: string
  readonly configuration: Readonly<Record<string, string>>
  readonly application_id: string | null
  /** Strings to redact in the console output of the code. */
  readonly secrets: readonly string[]
  /** The ids of the tokens and token intents whose values were inserted. */
  readonly token_ids: readonly string[]
  readonly used: readonly InsertedToken[]
  /** Stores the result of an asynchronous run; null for any other run. If it is not new, the code does not run again. */
  readonly request: { readonly id: string; readonly isNew: boolean } | null
  /**
   * The stored response to an earlier request with the same idempotency key; null if there is none. With a stored
   * response, nothing runs (rule A-12).
   */
  readonly before: RunResponse | null
}

/** The code to run, whether it is stored or not. */
export type RunnableCode = Pick<
  PreparedRun,
  'reactor_id' | 'name' | 'code' | 'runtime' | 'configuration' | 'application_id'
>

/** Returns a stored reactor as runnable code. Throws `not_found`, and `invalid` if its packages are missing. */
export function requireRunnable(context: Context, id: string): RunnableCode {
  const row = findReactor(context.db, id)
  if (!row) throw createMissingError('reactor')
  const { name, code, application_id } = row
  const runtime = parseRuntime(row)
  requirePackages(context, [runtime])
  return {
    reactor_id: id,
    name,
    code,
    runtime: readRuntime(runtime),
    configuration: openConfiguration(context, row),
    application_id,
  }
}

/**
 * Inserts token values into the input of code: `args`, or the whole body in node22 (rule F-03). Throws `invalid` (an
 * expression, a token that does not exist, a number that JavaScript cannot represent), `forbidden` (a token, a deleted
 * application), `too_large`.
 */
export function prepareRun(context: Context, runnable: RunnableCode, args: Json): PreparedRun {
  const { application_id, configuration, runtime } = runnable
  if (application_id !== null) toApplicationContext(context, application_id, 'reactor')
  const root = runtime.image === 'node22' ? 'body' : 'args'
  const argsText = formatArgs(args, root)
  assertExactNumbers(args, root)
  const { value, secrets, token_ids, used } = argsText.includes('{{')
    ? fillArgs(context, configuration, args, root)
    : { value: args, secrets: [], token_ids: [], used: [] }
  if (token_ids.length > 0) {
    context.setRecordEntities(token_ids)
    context.excludeFromRequestCount('tokens inserted into the arguments')
  }
  const text = value === args ? argsText : formatArgs(value, root)
  return { ...runnable, args: text, secrets, token_ids, used, request: null, before: null }
}

/** The name of the input of code in errors. */
type ArgsRoot = 'args' | 'body'

/** Serializes the input of code as JSON. Throws `too_large`. */
function formatArgs(args: Json, root: ArgsRoot): string {
  const text = JSON.stringify(args)
  if (Buffer.byteLength(text) <= MAX_ARGS_BYTES) return text
  throw createTooLargeError(root)
}

function createTooLargeError(root: ArgsRoot): CofferError {
  const subject = root === 'args' ? 'The arguments (args) are' : 'The body is'
  return new CofferError('too_large', `${subject} larger than 1 MiB.`)
}

/** Replaces the expressions in the input of code. A string that is a single expression becomes the value itself. */
function fillArgs(
  context: Context,
  configuration: RunnableCode['configuration'],
  args: Json,
  root: ArgsRoot,
) {
  const values = new ExpressionValues(context, configuration, argsTokenUse)
  mapPayload(args, (value, path) => {
    if (typeof value === 'string' && value.includes('{{')) {
      const at = toArgsPath(root, path())
      values.lookUpAll(listExpressions(value, at), at)
    }
    return undefined
  })
  const secrets: string[] = []
  let remaining = MAX_ARGS_BYTES
  const value = mapPayload(args, (text, getPath) => {
    if (typeof text !== 'string' || !text.includes('{{')) return undefined
    const path = toArgsPath(root, getPath())
    const results = splitProxyExpressions(text, path).map((part): Json => {
      if (typeof part === 'string') return part
      const result = values.evaluateExpression(part, {}, path)
      appendAll(secrets, findSecrets(result))
      // SECURITY: many expressions may each repeat a large token.
      remaining -= JSON.stringify(result).length
      if (remaining < 0) throw createTooLargeError(root)
      return result
    })
    const [only = null] = results
    if (results.length !== 1) return results.map(formatValue).join('')
    // SECURITY: the error does not name a member of the token, because the caller may be allowed to use the token
    // but not to see it.
    if (hasInexact(only)) throw createInvalidError(path, TAKES_INEXACT)
    return only
  })
  // The same object may occur several times in the result. This is safe, because nothing changes it.
  return { value, secrets: [...secrets, ...values.secrets], token_ids: values.ids, used: values.used }
}

function listExpressions(text: string, path: string): ProxyExpression[] {
  return splitProxyExpressions(text, path).filter((part) => typeof part !== 'string')
}

function toArgsPath(root: ArgsRoot, path: string): string {
  if (path === '' || path.startsWith('[')) return root + path
  return `${root}.${path}`
}

/**
 * Parses JSON that code returned or that a person entered. Throws `invalid` at `path` if it is not JSON, or larger than
 * the data of a token may be (rule R-03).
 */
export function parseJsonInput(text: string, path: string): Json {
  assertJsonSize(text, path)
  try {
    return readJson(text)
  } catch (error) {
    throw new CofferError('invalid', `${path} must be JSON`, {
      errors: { [path]: ['must be JSON'] },
      cause: error,
    })
  }
}
