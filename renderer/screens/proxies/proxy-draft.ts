import { isObject, type Json, readJson } from '../../../shared/json.ts'
import { newProxy, type ProxyObject } from '../../../shared/schemas/proxy.ts'
import {
  getTransformType,
  type ProxyTransform,
  type TransformType,
} from '../../../shared/schemas/transform.ts'
import type { z } from '../../../shared/zod.ts'
import { validateInput } from '../../parts/forms/validate-input.ts'
import { type RuntimeDraft, toRuntime, toRuntimeDraft } from '../../parts/reactors/runtime-draft.ts'
import { type KeyValuePair, toMap, toPairs } from '../../ui/fields/pairs-input.tsx'
import { getTransforms } from './proxy-columns.tsx'
import { strings } from './strings.ts'

export type TransformSide = 'request' | 'response'

/** A transform in the form. Each type uses only some of these members. */
export type TransformDraft = {
  readonly at: number
  readonly type: TransformType
  readonly code: string
  readonly matcher: 'regex' | 'chase_stratus_pan'
  readonly expression: string
  readonly replacement: string
  readonly token: string
  readonly identifier: string
  readonly value: string
  readonly location: string
  readonly runtime: RuntimeDraft
}

export type ProxyDraft = {
  readonly name: string
  readonly destination_url: string
  readonly require_auth: boolean
  readonly disable_detokenization: boolean
  readonly application: string | null
  readonly configuration: readonly KeyValuePair[]
  readonly request: readonly TransformDraft[]
  readonly response: readonly TransformDraft[]
}

const EXAMPLE_TOKEN = { type: 'token', data: '{{ req.number }}' }

export function toTransformDraft(transform: ProxyTransform, at: number): TransformDraft {
  const { code = '', matcher = 'regex', expression = '', replacement = '*', options = {} } = transform
  const { token = EXAMPLE_TOKEN, identifier = '', value = '', location = '', runtime } = options
  return {
    at,
    type: getTransformType(transform),
    ...{ code, matcher, expression, replacement, identifier, value, location },
    token: JSON.stringify(token, null, 2),
    runtime: toRuntimeDraft(runtime),
  }
}

/** The initial draft: empty, or a copy of a proxy. */
export function toProxyDraft(proxy: ProxyObject | null): ProxyDraft {
  return {
    name: proxy?.name ?? '',
    destination_url: proxy?.destination_url ?? 'https://',
    require_auth: proxy?.require_auth ?? true,
    disable_detokenization: proxy?.disable_detokenization ?? false,
    application: proxy?.application_id ?? null,
    configuration: toPairs(proxy?.configuration ?? {}),
    request: proxy ? getTransforms(proxy, 'request').map(toTransformDraft) : [],
    response: proxy ? getTransforms(proxy, 'response').map(toTransformDraft) : [],
  }
}

function toTransformOptions(draft: TransformDraft): object | undefined {
  const { type, value, location, token, identifier } = draft
  if (type === 'code') {
    const runtime = toRuntime(draft.runtime)
    return runtime && { runtime }
  }
  if (type === 'tokenize') {
    const parsed = parseToken(token)
    return { ...(parsed && { token: parsed }), ...(identifier !== '' && { identifier }) }
  }
  if (!type.startsWith('append')) return undefined
  return { value, ...(type !== 'append_text' && location !== '' && { location }) }
}

function parseToken(text: string): Record<string, Json> | undefined {
  try {
    const value = readJson(text)
    return isObject(value) ? (value as Record<string, Json>) : undefined
  } catch {
    // The JSON is not complete yet.
    return undefined
  }
}

function toTransform(draft: TransformDraft): object {
  const { type, code, matcher, expression, replacement } = draft
  const options = toTransformOptions(draft)
  return {
    type,
    ...(type === 'code' && code !== '' && { code }),
    ...(type === 'mask' && { matcher, replacement }),
    ...(type === 'mask' && matcher === 'regex' && expression !== '' && { expression }),
    ...(options && { options }),
  }
}

export function toProxyInput(draft: ProxyDraft): z.input<typeof newProxy> {
  const { name, destination_url, require_auth, disable_detokenization, application } = draft
  const configuration = toMap(draft.configuration)
  return {
    name,
    destination_url,
    require_auth,
    disable_detokenization,
    ...(application !== null && { application: { id: application } }),
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(draft.request.length > 0 && { request_transforms: draft.request.map(toTransform) }),
    ...(draft.response.length > 0 && { response_transforms: draft.response.map(toTransform) }),
  }
}

/** Validates a draft with the schema that the vault uses for the request. */
export function validateProxyDraft(draft: ProxyDraft): Record<string, string> {
  const problems: Record<string, string> = { ...validateInput(newProxy, toProxyInput(draft)) }
  // A new form contains `https://`, which counts as empty.
  if (['', 'https://'].includes(draft.destination_url.trim()))
    problems.destination_url = strings.form.noAddress
  for (const side of ['request', 'response'] as const) {
    for (const [at, { type, token }] of draft[side].entries()) {
      if (type === 'tokenize' && !parseToken(token))
        problems[`${side}_transforms[${at}].options.token`] = strings.form.notJson
    }
  }
  return problems
}
