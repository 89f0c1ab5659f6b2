import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { findBaseProblem } from '../../../../shared/schemas/address-problem.ts'
import { getTransformType, type ProxyTransform } from '../../../../shared/schemas/transform.ts'
import { formatSettingHint } from '../../../../shared/settings.ts'
import { createPermissionError, hasPermission } from '../../access/access.ts'
import type { Scope } from '../../expressions/template.ts'
import type { Context } from '../../pipeline/context.ts'
import { toApplicationContext } from '../callables/application.ts'
import { openConfiguration } from '../callables/configuration.ts'
import { requirePackages } from '../callables/packages.ts'
import { readRuntime } from '../callables/runtime.ts'
import { decodeBody, hasExpression, parseSegments } from './body-text.ts'
import { decryptHeader, readEncryptedData } from './encrypted.ts'
import { type ProxyExpression, splitProxyExpressions } from './expressions.ts'
import { filterRequestHeaders, findHeader, type Headers } from './headers.ts'
import {
  fillBody,
  fillHeaders,
  getMessageFormat,
  type ProxyMessage,
  type RedactedMessage,
} from './message.ts'
import { parseTransforms } from './present.ts'
import { appendAll, findLongSecrets, findSecrets, REDACTED } from './secrets.ts'
import { findProxyByKey, type ProxyRow } from './store.ts'
import { fillSegments, listExpressions } from './template-segments.ts'
import { ExpressionValues } from './values.ts'

/** A call of `/proxy`, as the listener received it. */
export type ProxyCall = {
  /** The key of a pre-configured proxy; null for an ephemeral one. */
  readonly proxy_key: string | null
  /** The BT-PROXY-URL header, which is the base URL of an ephemeral proxy; ignored if `proxy_key` is set. */
  readonly proxy_url: string | null
  readonly method: string
  /** The part of the URL after `/proxy`: empty, or a path. */
  readonly path: string
  /** The query with its question mark; empty without a query. */
  readonly query: string
  readonly headers: Headers
  readonly body: Buffer | null
}

/** A call whose expressions have been replaced, but whose transforms have not run yet (rules G-04, G-05). */
export type PreparedCall = {
  readonly proxy: {
    readonly id: string
    readonly name: string
    readonly application_id: string | null
    readonly disable_detokenization: boolean
  } | null
  /** The configuration for the code of transforms; empty if there is no code. */
  readonly configuration: Readonly<Record<string, string>>
  /** The complete URL at the destination. */
  readonly url: string
  readonly message: ProxyMessage
  readonly shown: RedactedMessage
  /** Strings to redact in the response. */
  readonly secrets: readonly string[]
  /** The decrypted BT-ENCRYPTED header, for the expressions of transforms (rule C-02). */
  readonly encrypted?: Json | undefined
  /** The ids of the tokens and token intents whose values were inserted. */
  readonly token_ids: readonly string[]
  readonly request_transforms: readonly ProxyTransform[]
  readonly response_transforms: readonly ProxyTransform[]
}

/**
 * Prepares a call (rules G-04, G-05). Throws `not_found` (no such proxy), `forbidden` (the caller, ephemeral
 * proxies, a token), `invalid` (no destination, an expression, a package that is not installed).
 */
export function prepareCall(context: Context, call: ProxyCall): PreparedCall {
  const row = call.proxy_key === null ? null : requireProxyByKey(context, call.proxy_key)
  const base = row?.destination_url ?? call.proxy_url
  if (base === null) throw createInvalidError('BT-PROXY-URL', 'is required, unless BT-PROXY-KEY is sent')
  authorizeCall(context, row)
  // SECURITY: appended to any other string, the path could name a host. Stored URLs are checked too, because older
  // versions accepted an empty fragment.
  const problem = findBaseProblem(base)
  if (problem !== undefined) throw createInvalidError(row ? 'destination_url' : 'BT-PROXY-URL', problem)
  const configuration = row ? openConfiguration(context, row) : {}
  const before: ProxyMessage = { headers: filterRequestHeaders(call.headers), body: call.body }
  const isVerbatim = row?.disable_detokenization === 1
  const encrypted = decryptHeader(context, call.headers)
  const filled = isVerbatim
    ? prepareVerbatim(context, before)
    : fillMessage(context, before, call, { configuration, encrypted })
  const { request_transforms, response_transforms } = listTransforms(row)
  const transforms = [...request_transforms, ...response_transforms]
  const hasCode = transforms.some((each) => getTransformType(each) === 'code')
  requirePackages(
    context,
    transforms.map(({ options }) => options?.runtime),
  )
  if (hasCode && row?.application_id) toApplicationContext(context, row.application_id, 'proxy')
  return {
    proxy: row && {
      id: row.id,
      name: row.name,
      application_id: row.application_id,
      disable_detokenization: isVerbatim,
    },
    configuration: hasCode ? configuration : {},
    url: buildUrl(base, call),
    ...filled,
    ...(encrypted !== undefined && { encrypted }),
    request_transforms,
    response_transforms,
  }
}

/** Adds the path of a call to the path of a URL, and its query to the query of the URL (rule G-04). */
function buildUrl(base: string, { path, query }: ProxyCall): string {
  const [address = base, fixed = ''] = base.split(/\?(.*)/s)
  return address.replace(/\/+$/, '') + path + (fixed === '' ? query : `?${fixed}${query.replace('?', '&')}`)
}

/** Whether the code of a call's transforms may hold token values: from the message, or read with a key of its own. */
export function mayCodeHoldTokens(
  { proxy, request_transforms, response_transforms }: PreparedCall,
  secrets: readonly string[],
): boolean {
  const hasKey = ({ options }: ProxyTransform) => readRuntime(options?.runtime).permissions.length > 0
  return (
    secrets.length > 0 ||
    (proxy?.application_id ?? null) !== null ||
    [...request_transforms, ...response_transforms].some(hasKey)
  )
}

/** Returns the message in the form that a person may read, if it contains no token values. */
function toRedactedMessage({ headers, body }: ProxyMessage): RedactedMessage {
  return { headers, body: body && decodeBody(body).text }
}

function prepareVerbatim(context: Context, message: ProxyMessage): FilledMessage {
  context.skipRecord()
  return { message, shown: toRedactedMessage(message), secrets: [], token_ids: [] }
}

function listTransforms(
  row: ProxyRow | null,
): Pick<PreparedCall, 'request_transforms' | 'response_transforms'> {
  const transforms = row ? parseTransforms(row) : {}
  return {
    request_transforms: transforms.request_transforms ?? toTransformList(transforms.request_transform),
    response_transforms: transforms.response_transforms ?? toTransformList(transforms.response_transform),
  }
}

function toTransformList(transform: ProxyTransform | undefined): readonly ProxyTransform[] {
  return transform ? [transform] : []
}

function requireProxyByKey(context: Context, key: string): ProxyRow {
  const row = findProxyByKey(context.db, key)
  if (!row) throw new CofferError('not_found', 'There is no proxy with this key.')
  return row
}

function authorizeCall({ actor, settings }: Context, row: ProxyRow | null): void {
  if (!row && settings.disable_ephemeral_proxy === 'true') {
    throw new CofferError(
      'forbidden',
      `This tenant does not allow ephemeral proxies. ${formatSettingHint('disable_ephemeral_proxy')}`,
    )
  }
  // SECURITY: only an explicit reveal shows plaintext to the owner.
  if (actor.kind === 'owner')
    throw new CofferError('forbidden', 'Use the API key of an application to call a proxy.')
  if (row?.require_auth === 0) return
  if (hasPermission(actor, 'proxy:invoke') || hasPermission(actor, 'token:use')) return
  throw createPermissionError(['proxy:invoke', 'token:use'])
}

type FilledMessage = Pick<PreparedCall, 'message' | 'shown' | 'secrets' | 'token_ids'>

/** Replaces the expressions of the body first, and then those of the headers, which can read the finished body. */
function fillMessage(
  context: Context,
  { headers, body }: ProxyMessage,
  call: ProxyCall,
  { configuration, encrypted }: { configuration: Record<string, string>; encrypted: Json | undefined },
): FilledMessage {
  const values = new ExpressionValues(context, configuration)
  const secrets: string[] = []
  const format = getMessageFormat({ headers, body })
  const takeValue = (expression: ProxyExpression, scope: Scope, path: string): Json => {
    const value = values.evaluateExpression(
      expression,
      encrypted === undefined ? scope : { ...scope, encrypted },
      path,
    )
    appendAll(secrets, findSecrets(value))
    return value
  }
  appendAll(secrets, findLongSecrets(readEncryptedData(encrypted)))

  let filledBody = body
  let redactedBody = body && decodeBody(body).text
  if (body && redactedBody !== null && hasExpression(redactedBody, format)) {
    const segments = parseSegments(redactedBody, format, 'body')
    values.lookUpAll(listExpressions(segments), 'body')
    filledBody = fillBody(body, format, (expression) => takeValue(expression, {}, 'body'), segments)
    redactedBody = fillSegments(segments, () => REDACTED)
  }

  const inHeaders = headers.flatMap(([name, value]) =>
    value.includes('{{')
      ? splitProxyExpressions(value, `headers.${name}`).filter((part) => typeof part !== 'string')
      : [],
  )
  values.lookUpAll(inHeaders, 'headers')
  const scope = {
    proxy:
      inHeaders.length === 0
        ? null
        : createProxyVariable(call, indexHeaders(headers, inHeaders), filledBody, configuration),
  }
  const message: ProxyMessage = {
    headers: fillHeaders(headers, (expression, path) => takeValue(expression, scope, path)),
    body: filledBody,
  }
  if (values.ids.length > 0) {
    context.setRecordEntities(values.ids)
    context.excludeFromRequestCount('tokens inserted into the call')
  } else context.skipRecord()
  return {
    message,
    shown: { headers: fillHeaders(headers, () => REDACTED), body: redactedBody },
    secrets: [...secrets, ...values.secrets],
    token_ids: values.ids,
  }
}

/**
 * Indexes header values by name. Adds each name in the upper or lower case in which an expression uses it, because
 * header names are case-insensitive.
 */
function indexHeaders(headers: Headers, expressions: readonly ProxyExpression[]): Record<string, Json> {
  const byName: Record<string, Json> = Object.assign(Object.create(null), Object.fromEntries(headers))
  for (const { source } of expressions) {
    for (const [, afterDot, inBrackets] of source.matchAll(
      /\bheaders(?:\.([\w-]+)|\[\s*['"]([\w-]+)['"]\s*\])/g,
    )) {
      const name = afterDot ?? inBrackets ?? ''
      const value = findHeader(headers, name.toLowerCase())
      if (value !== undefined) byName[name] ??= value
    }
  }
  return byName
}

/** Creates the variable `proxy` for header expressions, with the members `request` and `config`. */
function createProxyVariable(
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
      body: body && decodeBody(body).text,
    },
    config: { ...config },
  }
}
