import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { baseProblem } from '../../../shared/schemas/address-problem.ts'
import { type ProxyTransform, typeOf } from '../../../shared/schemas/transform.ts'
import { holds } from '../access/access.ts'
import { asApplicationOf } from '../configured/application.ts'
import { openConfiguration } from '../configured/configuration.ts'
import type { Context } from '../door/context.ts'
import type { Scope } from '../expressions/template.ts'
import { bodyText, hasExpression, piecesOf } from './body-text.ts'
import { encryptedData, encryptedOf } from './encrypted.ts'
import { type ProxyExpression, partsOf } from './expressions.ts'
import { forwarded, type Headers, headerOf } from './headers.ts'
import { bodyWith, formOfMessage, headersWith, type Message, type Shown } from './message.ts'
import { expressionsOf, filledIn } from './pieces.ts'
import { transformsOf } from './present.ts'
import { addTo, DOTS, longSecretsIn, secretsIn } from './secrets.ts'
import { findProxyByKey, type ProxyRow } from './store.ts'
import { Values } from './values.ts'

/** A call of `/proxy`, as the listener received it. */
export type ProxyCall = {
  /** Of a pre-configured proxy; null for an ephemeral one. */
  readonly proxy_key: string | null
  /** The base address of an ephemeral call. */
  readonly proxy_url: string | null
  readonly method: string
  /** What follows `/proxy`: empty, or a path. */
  readonly path: string
  /** With its question mark; empty without one. */
  readonly query: string
  readonly headers: Headers
  readonly body: Buffer | null
}

/** A call with its expressions replaced, before its transforms (rules G-04, G-05). */
export type PreparedCall = {
  readonly proxy: {
    readonly id: string
    readonly name: string
    readonly application_id: string | null
    readonly disable_detokenization: boolean
  } | null
  /** For the code of transforms; empty without any. */
  readonly configuration: Readonly<Record<string, string>>
  /** The complete address of the destination. */
  readonly url: string
  readonly message: Message
  readonly shown: Shown
  /** Texts that must not be shown in what comes back. */
  readonly secrets: readonly string[]
  /** What the client had encrypted, for transforms (rule C-02). */
  readonly encrypted?: Json | undefined
  /** The tokens and intents that were put in. */
  readonly token_ids: readonly string[]
  readonly request_transforms: readonly ProxyTransform[]
  readonly response_transforms: readonly ProxyTransform[]
}

/**
 * Prepares a call (rules G-04, G-05). Throws `not_found` (no such proxy), `forbidden` (the caller, ephemeral proxies, a
 * token), `invalid` (no destination, an expression).
 */
export function prepareCall(context: Context, call: ProxyCall): PreparedCall {
  const row = call.proxy_key === null ? null : requireProxyByKey(context, call.proxy_key)
  const base = row?.destination_url ?? call.proxy_url
  if (base === null) throw invalid('BT-PROXY-URL', 'is required, or BT-PROXY-KEY')
  authorize(context, row)
  // SECURITY: appended to any other text, the path may name the host, or end up behind a query. Stored ones too: older
  // versions took an empty query.
  const problem = baseProblem(base)
  if (problem !== undefined) throw invalid(row ? 'destination_url' : 'BT-PROXY-URL', problem)
  const configuration = row ? openConfiguration(context, row) : {}
  const before: Message = { headers: forwarded(call.headers), body: call.body }
  const isPlain = row?.disable_detokenization === 1
  const encrypted = encryptedOf(context, call.headers)
  const filled = isPlain ? plain(context, before) : fill(context, before, call, { configuration, encrypted })
  const { request_transforms, response_transforms } = bothOf(row)
  const hasCode = [...request_transforms, ...response_transforms].some((each) => typeOf(each) === 'code')
  if (hasCode && row?.application_id) asApplicationOf(context, row.application_id, 'proxy')
  return {
    proxy: row && {
      id: row.id,
      name: row.name,
      application_id: row.application_id,
      disable_detokenization: isPlain,
    },
    configuration: hasCode ? configuration : {},
    url: base.replace(/\/+$/, '') + call.path + call.query,
    ...filled,
    ...(encrypted !== undefined && { encrypted }),
    request_transforms,
    response_transforms,
  }
}

/** A body as a person may read it, where nothing in it came from a token. */
function shownOf({ headers, body }: Message): Shown {
  return { headers, body: body && bodyText(body).text }
}

function plain(context: Context, message: Message): Filled {
  context.isPart()
  return { message, shown: shownOf(message), secrets: [], token_ids: [] }
}

function bothOf(row: ProxyRow | null): Pick<PreparedCall, 'request_transforms' | 'response_transforms'> {
  const transforms = row ? transformsOf(row) : {}
  return {
    request_transforms: transforms.request_transforms ?? listOf(transforms.request_transform),
    response_transforms: transforms.response_transforms ?? listOf(transforms.response_transform),
  }
}

function listOf(transform: ProxyTransform | undefined): readonly ProxyTransform[] {
  return transform ? [transform] : []
}

function requireProxyByKey(context: Context, key: string): ProxyRow {
  const row = findProxyByKey(context.db, key)
  if (!row) throw new CofferError('not_found', 'There is no proxy with this key.')
  return row
}

function authorize({ actor, settings }: Context, row: ProxyRow | null): void {
  if (!row && settings.disable_ephemeral_proxy === 'true') {
    throw new CofferError('forbidden', 'The tenant allows no ephemeral proxies (disable_ephemeral_proxy).')
  }
  // SECURITY: the owner sees plaintext by an explicit reveal alone.
  if (actor.kind === 'owner')
    throw new CofferError('forbidden', 'A proxy is called with the key of an application.')
  if (row?.require_auth === 0) return
  if (holds(actor, 'proxy:invoke') || holds(actor, 'token:use')) return
  throw new CofferError('forbidden', 'This needs the permission proxy:invoke or token:use.', {
    missing: { permissions: ['proxy:invoke', 'token:use'] },
  })
}

type Filled = Pick<PreparedCall, 'message' | 'shown' | 'secrets' | 'token_ids'>

/** Replaces the expressions of the body, then those of the headers, which may read the finished body. */
function fill(
  context: Context,
  { headers, body }: Message,
  call: ProxyCall,
  { configuration, encrypted }: { configuration: Record<string, string>; encrypted: Json | undefined },
): Filled {
  const values = new Values(context, configuration)
  const secrets: string[] = []
  const form = formOfMessage({ headers, body })
  const taken = (expression: ProxyExpression, scope: Scope, path: string): Json => {
    const value = values.evaluate(expression, encrypted === undefined ? scope : { ...scope, encrypted }, path)
    addTo(secrets, secretsIn(value))
    return value
  }
  addTo(secrets, longSecretsIn(encryptedData(encrypted)))

  let filledBody = body
  let shownBody = body && bodyText(body).text
  if (body && shownBody !== null && hasExpression(shownBody, form)) {
    const pieces = piecesOf(shownBody, form, 'body')
    values.find(expressionsOf(pieces), 'body')
    filledBody = bodyWith(body, form, (expression) => taken(expression, {}, 'body'), pieces)
    shownBody = filledIn(pieces, () => DOTS)
  }

  const inHeaders = headers.flatMap(([name, value]) =>
    value.includes('{{') ? partsOf(value, `headers.${name}`).filter((part) => typeof part !== 'string') : [],
  )
  values.find(inHeaders, 'headers')
  const scope = {
    proxy:
      inHeaders.length === 0 ? null : variableOf(call, named(headers, inHeaders), filledBody, configuration),
  }
  const message: Message = {
    headers: headersWith(headers, (expression, path) => taken(expression, scope, path)),
    body: filledBody,
  }
  if (values.ids.length > 0) {
    context.aboutAll(values.ids)
    context.isCountedElsewhere('tokens put into the call')
  } else context.isPart()
  return {
    message,
    shown: { headers: headersWith(headers, () => DOTS), body: shownBody },
    secrets: [...secrets, ...values.secrets],
    token_ids: values.ids,
  }
}

/** Headers by name, also as these expressions spell a name: the case of a header's name does not matter. */
function named(headers: Headers, expressions: readonly ProxyExpression[]): Record<string, Json> {
  const byName: Record<string, Json> = Object.assign(Object.create(null), Object.fromEntries(headers))
  for (const { source } of expressions) {
    for (const [, dotted, bracketed] of source.matchAll(
      /\bheaders(?:\.([\w-]+)|\[\s*['"]([\w-]+)['"]\s*\])/g,
    )) {
      const name = dotted ?? bracketed ?? ''
      const value = headerOf(headers, name.toLowerCase())
      if (value !== undefined) byName[name] ??= value
    }
  }
  return byName
}

/** The variable `proxy` of header expressions: `proxy.request.headers`, `.body`, `proxy.config`. */
function variableOf(
  call: ProxyCall,
  headers: Record<string, Json>,
  body: Buffer | null,
  config: Record<string, string>,
): Json {
  return {
    request: {
      method: call.method,
      path: call.path,
      query: call.query,
      headers: { ...headers },
      body: body && bodyText(body).text,
    },
    config: { ...config },
  }
}
