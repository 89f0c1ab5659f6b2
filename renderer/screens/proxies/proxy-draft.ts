import { isObject, type Json, readJson } from '../../../shared/json.ts'
import { newProxy, type ProxyObject } from '../../../shared/schemas/proxy.ts'
import { type ProxyTransform, type TransformType, typeOf } from '../../../shared/schemas/transform.ts'
import { validationError } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { fieldErrorsOf } from '../../parts/messages/sentence.ts'
import { mapOf, type Pair, pairsOf } from '../../ui/fields/pairs-input.tsx'
import { transformsOf } from './proxy-columns.tsx'
import { strings } from './strings.ts'

export type Side = 'request' | 'response'

/** A transform as it is typed; a type uses some of these members. */
export type TransformDraft = {
  readonly at: number
  readonly type: TransformType
  readonly code: string
  readonly matcher: 'regex' | 'chase_stratus_pan'
  readonly expression: string
  readonly replacement: string
  /** JSON. */
  readonly token: string
  readonly identifier: string
  readonly value: string
  readonly location: string
}

export type ProxyDraft = {
  readonly name: string
  readonly destination_url: string
  readonly require_auth: boolean
  readonly disable_detokenization: boolean
  readonly application: string | null
  readonly configuration: readonly Pair[]
  readonly request: readonly TransformDraft[]
  readonly response: readonly TransformDraft[]
}

/** A transform of this type, still empty. */
export function newTransform(at: number, type: TransformType): TransformDraft {
  return {
    at,
    type,
    code: '',
    matcher: 'regex',
    expression: '',
    replacement: '*',
    token: '{\n  "type": "token",\n  "data": "{{ req.number }}"\n}',
    identifier: '',
    value: '',
    location: '',
  }
}

function draftOfTransform(transform: ProxyTransform, at: number): TransformDraft {
  const { code, matcher, expression, replacement, options = {} } = transform
  const empty = newTransform(at, typeOf(transform))
  return {
    ...empty,
    ...(code !== undefined && { code }),
    ...(matcher !== undefined && { matcher }),
    ...(expression !== undefined && { expression }),
    ...(replacement !== undefined && { replacement }),
    ...(options.token !== undefined && { token: JSON.stringify(options.token, null, 2) }),
    ...(options.identifier !== undefined && { identifier: options.identifier }),
    ...(options.value !== undefined && { value: options.value }),
    ...(options.location !== undefined && { location: options.location }),
  }
}

/** The draft to start with: an empty one, or a proxy as it is. */
export function draftOf(proxy: ProxyObject | null): ProxyDraft {
  if (!proxy) {
    return {
      name: '',
      destination_url: 'https://',
      require_auth: true,
      disable_detokenization: false,
      application: null,
      configuration: [],
      request: [],
      response: [],
    }
  }
  return {
    name: proxy.name,
    destination_url: proxy.destination_url,
    require_auth: proxy.require_auth,
    disable_detokenization: proxy.disable_detokenization,
    application: proxy.application_id ?? null,
    configuration: pairsOf(proxy.configuration),
    request: transformsOf(proxy, 'request').map(draftOfTransform),
    response: transformsOf(proxy, 'response').map(draftOfTransform),
  }
}

function optionsOf(draft: TransformDraft): ProxyTransform['options'] {
  const { type, value, location, token, identifier } = draft
  if (type === 'tokenize') {
    const parsed = tokenOf(token)
    return { ...(parsed && { token: parsed }), ...(identifier !== '' && { identifier }) }
  }
  if (!type.startsWith('append')) return undefined
  return { value, ...(type !== 'append_text' && location !== '' && { location }) }
}

function tokenOf(text: string): Record<string, Json> | undefined {
  try {
    const value = readJson(text)
    return isObject(value) ? (value as Record<string, Json>) : undefined
  } catch {
    // It is being typed.
    return undefined
  }
}

function transformOf(draft: TransformDraft): ProxyTransform {
  const { type, code, matcher, expression, replacement } = draft
  const options = optionsOf(draft)
  return {
    type,
    ...(type === 'code' && code !== '' && { code }),
    ...(type === 'mask' && { matcher, replacement }),
    ...(type === 'mask' && matcher === 'regex' && expression !== '' && { expression }),
    ...(options && { options }),
  }
}

/** What the draft asks for, as it is sent. */
export function inputOf(draft: ProxyDraft): z.input<typeof newProxy> {
  const { name, destination_url, require_auth, disable_detokenization, application } = draft
  const configuration = mapOf(draft.configuration)
  return {
    name,
    destination_url,
    require_auth,
    disable_detokenization,
    ...(application !== null && { application: { id: application } }),
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(draft.request.length > 0 && { request_transforms: draft.request.map(transformOf) }),
    ...(draft.response.length > 0 && { response_transforms: draft.response.map(transformOf) }),
  }
}

/** What is wrong with a draft, by the schema that the vault applies too. */
export function problemsOf(draft: ProxyDraft): Record<string, string> {
  const result = newProxy.safeParse(inputOf(draft))
  const problems: Record<string, string> = result.success
    ? {}
    : { ...fieldErrorsOf(validationError(result.error)) }
  // A new form begins with the scheme.
  if (['', 'https://'].includes(draft.destination_url.trim()))
    problems.destination_url = strings.form.noAddress
  for (const side of ['request', 'response'] as const) {
    for (const [at, { type, token }] of draft[side].entries()) {
      if (type === 'tokenize' && !tokenOf(token))
        problems[`${side}_transforms[${at}].options.token`] = strings.form.notJson
    }
  }
  return problems
}
