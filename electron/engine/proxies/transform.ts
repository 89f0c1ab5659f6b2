import { CofferError, invalid } from '../../../shared/errors.ts'
import { isObject, type Json, readJson } from '../../../shared/json.ts'
import { type ProxyTransform, typeOf } from '../../../shared/schemas/transform.ts'
import type { Context } from '../door/context.ts'
import type { Scope } from '../expressions/template.ts'
import { textOf } from '../expressions/value.ts'
import { mapPayload } from '../tokenize/payload.ts'
import { bodyText } from './body-text.ts'
import { type ProxyExpression, partsOf } from './expressions.ts'
import { mayBeAdded } from './headers.ts'
import { maskByExpression, maskCardNumbers } from './mask.ts'
import type { Message, Shown } from './message.ts'
import { processorTime } from './processor-time.ts'
import { putAt } from './put-at.ts'
import { addTo, DOTS, dotted, secretsIn } from './secrets.ts'
import { Values } from './values.ts'

/**
 * The most processor time that all transforms of one call may take together, in ms (rule R-03, case X-65). A mask is
 * stopped when it is used up; of the others, the last one may take a little longer.
 */
const MOST_MS = 30

/** What clients read of headers at most, Node's among them. */
const LONGEST_HEADER = 16 * 1024

/** A message on its way through transforms, with what they know. */
export type Transforming = {
  readonly message: Message
  readonly shown: Shown
  readonly secrets: readonly string[]
  /** The tokens made so far, by the identifiers of their transforms. */
  readonly made: Readonly<Record<string, Json>>
  /** What the client had encrypted (rule C-02). */
  readonly encrypted?: Json | undefined
  /** The processor time that transforms of this call have taken, in ms. */
  readonly spent?: number | undefined
}

type Making = (request: Json) => Json

/**
 * Applies transforms other than code, in order (rule G-05). `make` creates a token from a token request and returns it;
 * `read` receives the ids of the tokens that expressions read. Throws `invalid`, `unprocessable` (a mask that takes too long), and what `make` throws.
 */
export function applyTransforms(
  context: Context,
  transforms: readonly ProxyTransform[],
  given: Transforming,
  {
    side,
    configuration,
    make,
    before,
    read,
  }: {
    readonly side: 'request' | 'response'
    readonly configuration: Readonly<Record<string, string>>
    readonly make: Making
    /** How many transforms of this side came before. */
    readonly before: number
    readonly read: string[]
  },
): Transforming {
  let state = given
  const { spent = 0 } = given
  const started = processorTime()
  const left = () => MOST_MS - spent - (processorTime() - started)
  for (const [at, transform] of transforms.entries()) {
    if (left() <= 0) {
      throw new CofferError('unprocessable', 'The transforms of this proxy take too long on this body.')
    }
    const path = `${side}_transforms[${before + at}]`
    const found: string[] = []
    const evaluate = evaluator(context, state, { side, configuration, path, found, read })
    const after = applyOne(transform, state, { evaluate, make, left, path })
    state = found.length === 0 ? after : { ...after, ...dottedToo(after, found) }
  }
  if (state.message.body !== given.message.body) state = { ...state, shown: shownAgain(state) }
  return { ...state, spent: MOST_MS - left() }
}

type Evaluate = (text: string) => Json

type Given = {
  readonly side: 'request' | 'response'
  readonly configuration: Readonly<Record<string, string>>
  readonly path: string
  /** Receives the texts that must not be shown. */
  readonly found: string[]
  /** Receives the ids of the tokens that are read. */
  readonly read: string[]
}

/** Evaluates texts with expressions: over the message's body as `req` or `res`, the configuration, tokens. */
function evaluator(
  context: Context,
  { message, made, secrets, encrypted }: Transforming,
  { side, configuration, path, found, read }: Given,
): Evaluate {
  const values = new Values(context, configuration)
  let parsedScope: Scope | undefined
  return (text) => {
    const parts = partsOf(text, path)
    const expressions = parts.filter((part) => typeof part !== 'string')
    values.find(expressions, path)
    addTo(found, values.secrets.splice(0))
    addTo(read, values.ids.splice(0))
    const results = parts.map((part) => (typeof part === 'string' ? part : resultOf(part)))
    const [only = ''] = results
    return results.length === 1 ? only : results.map(textOf).join('')
  }

  /** A mask needs none, and a body takes long to parse. */
  function scope(): Scope {
    parsedScope ??= {
      [side === 'request' ? 'req' : 'res']: jsonOf(message.body),
      ...(encrypted !== undefined && { encrypted }),
    }
    return parsedScope
  }

  function resultOf(part: ProxyExpression): Json {
    const { head, source } = part
    if (head.kind !== 'transform') {
      const value = values.evaluate(part, scope(), path)
      // SECURITY: what is computed from a message that holds secrets may be a secret in another form.
      const isClients = head.kind === 'variable' && head.name === 'encrypted'
      const isSecret = head.kind !== 'variable' || isClients || (secrets.length > 0 && source.includes('|'))
      if (isSecret) addTo(found, secretsIn(value))
      return value
    }
    if (!Object.hasOwn(made, head.identifier)) throw invalid(path, 'names a transform that has made no token')
    const expression = { head: { kind: 'variable', name: 'data' } as const, source }
    return values.evaluate(expression, { data: made[head.identifier] ?? null }, path)
  }
}

function applyOne(
  transform: ProxyTransform,
  state: Transforming,
  {
    evaluate,
    make,
    left,
    path,
  }: {
    readonly evaluate: Evaluate
    readonly make: Making
    readonly left: () => number
    readonly path: string
  },
): Transforming {
  const { options = {} } = transform
  const type = typeOf(transform)
  if (type === 'mask') return { ...state, ...withBody(state, (body) => masked(transform, body, left)) }
  if (type === 'tokenize') {
    const request = mapPayload(options.token ?? {}, (value) =>
      typeof value === 'string' && value.includes('{{') ? evaluate(value) : undefined,
    )
    const { identifier } = options
    const token = make(request)
    return {
      ...state,
      ...(identifier !== undefined && { made: { ...state.made, [identifier]: token } }),
      ...dottedToo(state, secretsIn(isObject(request) ? (request.data ?? null) : null)),
    }
  }
  const value = evaluate(options.value ?? '')
  const { location = '' } = options
  if (type === 'append_header') return withHeader(state, location, textOf(value), path)
  if (type === 'append_text') return { ...state, ...withBody(state, (body) => body + textOf(value)) }
  return { ...state, ...withBody(state, (body) => withMember(body, location, value, path)) }
}

function masked(
  { matcher, expression = '', replacement = '' }: ProxyTransform,
  body: string,
  left: () => number,
): string {
  return matcher === 'regex'
    ? maskByExpression(body, expression, replacement, left)
    : maskCardNumbers(body, replacement)
}

function withMember(body: string, location: string, value: Json, path: string): string {
  const before = body === '' ? {} : parsedBody(body, path)
  return JSON.stringify(putAt(before, location, value, path))
}

function parsedBody(body: string, path: string): Json {
  try {
    return readJson(body)
  } catch {
    throw invalid(path, 'needs a body of JSON')
  }
}

function withHeader(state: Transforming, name: string, value: string, path: string): Transforming {
  // SECURITY: a line break would begin a header, or an answer, of its own.
  if (!mayBeAdded(name)) throw invalid(path, 'names a header that is for the connection, or none')
  if (value.length > LONGEST_HEADER) {
    throw invalid(path, 'gives a value that is too long for a header: more than 16 KiB')
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw invalid(path, 'gives a value that no header can have')
  const { message, shown, secrets } = state
  return {
    ...state,
    message: { ...message, headers: [...message.headers, [name, value]] },
    shown: { ...shown, headers: [...shown.headers, [name, shown.isCoded ? DOTS : dotted(value, secrets)]] },
  }
}

/** Changes the body. What is shown of it is made once, after the last transform. */
function withBody(
  { message }: Transforming,
  change: (body: string) => string,
): Pick<Transforming, 'message'> {
  const { text, bytesOf } = bodyText(message.body ?? Buffer.alloc(0))
  return { message: { headers: message.headers, body: bytesOf(change(text)) } }
}

/** What is shown of a message whose body has been changed. */
function shownAgain({ message: { body }, secrets, shown }: Transforming): Shown {
  return { ...shown, body: shown.isCoded || body === null ? DOTS : dotted(bodyText(body).text, secrets) }
}

function dottedToo(
  { secrets, shown }: Transforming,
  more: readonly string[],
): Pick<Transforming, 'secrets' | 'shown'> {
  return {
    secrets: [...secrets, ...more],
    shown: {
      ...shown,
      headers: shown.headers.map(([name, value]) => [name, dotted(value, more)]),
      body: shown.body === null ? null : dotted(shown.body, more),
    },
  }
}

function jsonOf(body: Buffer | null): Json {
  if (body === null || body.length === 0) return null
  try {
    return readJson(body.toString())
  } catch {
    // A body may be any text; a path into it then finds nothing.
    return body.toString()
  }
}
