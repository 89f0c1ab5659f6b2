import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json, readJson } from '../../../../shared/json.ts'
import { getTransformType, type ProxyTransform } from '../../../../shared/schemas/transform.ts'
import type { Scope } from '../../expressions/template.ts'
import { formatValue } from '../../expressions/value.ts'
import type { Context } from '../../pipeline/context.ts'
import { mapPayload } from '../tokenize/payload.ts'
import { decodeBody } from './body-text.ts'
import { type ProxyExpression, splitProxyExpressions } from './expressions.ts'
import { mayBeAdded } from './headers.ts'
import { maskByExpression, maskCardNumbers } from './mask.ts'
import type { ProxyMessage, RedactedMessage } from './message.ts'
import { readProcessorTime } from './processor-time.ts'
import { putAt } from './put-at.ts'
import { appendAll, findSecrets, REDACTED, redact } from './secrets.ts'
import { ExpressionValues } from './values.ts'

/**
 * The maximum processor time of all transforms of one call together, in ms (rule R-03, case X-65). A mask is
 * interrupted when the time is used up. Any other transform is completed first, so it may exceed the limit a little.
 */
const MAX_TRANSFORM_MS = 30

/** The maximum length of a header that common clients, such as Node, accept. */
const MAX_HEADER_LENGTH = 16 * 1024

/** The state between transforms: the message, and what the transforms need to know. */
export type TransformState = {
  readonly message: ProxyMessage
  readonly shown: RedactedMessage
  readonly secrets: readonly string[]
  /** The tokens created so far, by the identifiers of their transforms. */
  readonly made: Readonly<Record<string, Json>>
  /** The decrypted BT-ENCRYPTED header (rule C-02). */
  readonly encrypted?: Json | undefined
  /** The processor time that the transforms of this call have used, in ms. */
  readonly spent?: number | undefined
}

type CreateTransformToken = (request: Json) => Json

/**
 * Applies transforms without code, in order (rule G-05). `make` creates a token from a token request and returns
 * it; `read` collects the ids of the tokens that expressions read. Throws `invalid`, `unprocessable` (the
 * transforms take too long), and whatever `make` throws.
 */
export function applyTransforms(
  context: Context,
  transforms: readonly ProxyTransform[],
  initial: TransformState,
  {
    side,
    configuration,
    make,
    before,
    read,
  }: {
    readonly side: 'request' | 'response'
    readonly configuration: Readonly<Record<string, string>>
    readonly make: CreateTransformToken
    /** The number of transforms of the same side that ran before these. */
    readonly before: number
    readonly read: string[]
  },
): TransformState {
  let state = initial
  const { spent = 0 } = initial
  const started = readProcessorTime()
  const getRemainingMs = () => MAX_TRANSFORM_MS - spent - (readProcessorTime() - started)
  for (const [at, transform] of transforms.entries()) {
    if (getRemainingMs() <= 0) {
      throw new CofferError(
        'unprocessable',
        'The transforms of this proxy took more than 30 ms of processor time for this body.',
      )
    }
    const path = `${side}_transforms[${before + at}]`
    const foundSecrets: string[] = []
    const evaluate = createEvaluator(context, state, { side, configuration, path, foundSecrets, read })
    const after = applyTransform(transform, state, { evaluate, make, getRemainingMs, path })
    state = foundSecrets.length === 0 ? after : { ...after, ...redactBoth(after, foundSecrets) }
  }
  if (state.message.body !== initial.message.body) state = { ...state, shown: redactBody(state) }
  return { ...state, spent: MAX_TRANSFORM_MS - getRemainingMs() }
}

type EvaluateText = (text: string) => Json

type TransformContext = {
  readonly side: 'request' | 'response'
  readonly configuration: Readonly<Record<string, string>>
  readonly path: string
  /** Collects the strings to redact. */
  readonly foundSecrets: string[]
  /** Collects the ids of the tokens that expressions read. */
  readonly read: string[]
}

/**
 * Creates a function that evaluates strings with expressions. The expressions can use the message's body (as `req`
 * or `res`), the configuration, and tokens.
 */
function createEvaluator(
  context: Context,
  { message, made, secrets, encrypted }: TransformState,
  { side, configuration, path, foundSecrets, read }: TransformContext,
): EvaluateText {
  const values = new ExpressionValues(context, configuration)
  let parsedScope: Scope | undefined
  return (text) => {
    const parts = splitProxyExpressions(text, path)
    const expressions = parts.filter((part) => typeof part !== 'string')
    values.lookUpAll(expressions, path)
    appendAll(foundSecrets, values.secrets.splice(0))
    appendAll(read, values.ids.splice(0))
    const results = parts.map((part) => (typeof part === 'string' ? part : evaluatePart(part)))
    const [only = ''] = results
    return results.length === 1 ? only : results.map(formatValue).join('')
  }

  /** The body is parsed only if an expression needs it, because parsing takes long. A mask does not need it. */
  function getScope(): Scope {
    parsedScope ??= {
      [side === 'request' ? 'req' : 'res']: parseJsonOrText(message.body),
      ...(encrypted !== undefined && { encrypted }),
    }
    return parsedScope
  }

  function evaluatePart(part: ProxyExpression): Json {
    const { head, source } = part
    if (head.kind !== 'transform') {
      const value = values.evaluateExpression(part, getScope(), path)
      // SECURITY: a value computed from a message that contains secrets may be a secret in another form.
      const isClients = head.kind === 'variable' && head.name === 'encrypted'
      const isSecret = head.kind !== 'variable' || isClients || (secrets.length > 0 && source.includes('|'))
      if (isSecret) appendAll(foundSecrets, findSecrets(value))
      return value
    }
    if (!Object.hasOwn(made, head.identifier))
      throw createInvalidError(path, 'names a transform that has not created a token')
    const expression = { head: { kind: 'variable', name: 'data' } as const, source }
    return values.evaluateExpression(expression, { data: made[head.identifier] ?? null }, path)
  }
}

function applyTransform(
  transform: ProxyTransform,
  state: TransformState,
  {
    evaluate,
    make,
    getRemainingMs,
    path,
  }: {
    readonly evaluate: EvaluateText
    readonly make: CreateTransformToken
    readonly getRemainingMs: () => number
    readonly path: string
  },
): TransformState {
  const { options = {} } = transform
  const type = getTransformType(transform)
  if (type === 'mask')
    return { ...state, ...changeBody(state, (body) => maskBody(transform, body, getRemainingMs)) }
  if (type === 'tokenize') {
    const request = mapPayload(options.token ?? {}, (value) =>
      typeof value === 'string' && value.includes('{{') ? evaluate(value) : undefined,
    )
    const { identifier } = options
    const token = make(request)
    return {
      ...state,
      ...(identifier !== undefined && { made: { ...state.made, [identifier]: token } }),
      ...redactBoth(state, findSecrets(isObject(request) ? (request.data ?? null) : null)),
    }
  }
  const value = evaluate(options.value ?? '')
  const { location = '' } = options
  if (type === 'append_header') return appendHeader(state, location, formatValue(value), path)
  if (type === 'append_text') return { ...state, ...changeBody(state, (body) => body + formatValue(value)) }
  return { ...state, ...changeBody(state, (body) => setBodyMember(body, location, value, path)) }
}

function maskBody(
  { matcher, expression = '', replacement = '' }: ProxyTransform,
  body: string,
  getRemainingMs: () => number,
): string {
  return matcher === 'regex'
    ? maskByExpression(body, expression, replacement, getRemainingMs)
    : maskCardNumbers(body, replacement)
}

function setBodyMember(body: string, location: string, value: Json, path: string): string {
  const before = body === '' ? {} : parseBody(body, path)
  return JSON.stringify(putAt(before, location, value, path))
}

function parseBody(body: string, path: string): Json {
  try {
    return readJson(body)
  } catch {
    throw createInvalidError(path, 'needs a JSON body')
  }
}

function appendHeader(state: TransformState, name: string, value: string, path: string): TransformState {
  // SECURITY: a line break in a header would start another header or another response.
  if (!mayBeAdded(name)) throw createInvalidError(path, 'names a header that a transform cannot add')
  if (value.length > MAX_HEADER_LENGTH) {
    throw createInvalidError(path, 'has a value that is too long for a header (at most 16 KiB)')
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw createInvalidError(path, 'has a value with characters that a header cannot contain')
  const { message, shown, secrets } = state
  return {
    ...state,
    message: { ...message, headers: [...message.headers, [name, value]] },
    shown: {
      ...shown,
      headers: [...shown.headers, [name, shown.isCoded ? REDACTED : redact(value, secrets)]],
    },
  }
}

/** Returns the message with a changed body. The redacted form is computed only once, after the last transform. */
function changeBody(
  { message }: TransformState,
  change: (body: string) => string,
): Pick<TransformState, 'message'> {
  const { text, encodeText } = decodeBody(message.body ?? Buffer.alloc(0))
  return { message: { headers: message.headers, body: encodeText(change(text)) } }
}

/** Returns the redacted message after its body has changed. */
function redactBody({ message: { body }, secrets, shown }: TransformState): RedactedMessage {
  return {
    ...shown,
    body: shown.isCoded || body === null ? REDACTED : redact(decodeBody(body).text, secrets),
  }
}

function redactBoth(
  { secrets, shown }: TransformState,
  more: readonly string[],
): Pick<TransformState, 'secrets' | 'shown'> {
  return {
    secrets: [...secrets, ...more],
    shown: {
      ...shown,
      headers: shown.headers.map(([name, value]) => [name, redact(value, more)]),
      body: shown.body === null ? null : redact(shown.body, more),
    },
  }
}

function parseJsonOrText(body: Buffer | null): Json {
  if (body === null || body.length === 0) return null
  try {
    return readJson(body.toString())
  } catch {
    // A body that is not JSON is treated as a string, in which a path matches nothing.
    return body.toString()
  }
}
