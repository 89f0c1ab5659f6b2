import type { Placeholder, Service } from '../protocol.ts'
import type { Api, ApiRequest, ApiResponse, RequestOptions } from './api.ts'
import { parseBody } from './body.ts'
import { callDirectly } from './direct.ts'
import { checkPlacement, type ElementPlacement } from './element-placement.ts'
import { Encryption } from './encrypt.ts'
import { createServiceError, createValidationError } from './errors.ts'
import { parseExactly } from './exact-json.ts'
import { toCamelCase, toSnakeCase } from './letter-case.ts'
import { findElements, isBranch, withValues } from './payload.ts'
import { callProxy } from './proxy.ts'
import type { References } from './references.ts'
import { checkNoExpressions, withoutData } from './revealed.ts'
import type { SiblingValue } from './siblings.ts'

export type Services = {
  readonly api: Api
  readonly references: References
  /** The origin of this frame. */
  readonly base: string
  readonly readAll: (placeholders: readonly Placeholder[]) => Promise<Map<Placeholder, SiblingValue>>
}

/** Runs a call of the page, and returns the part of the response that the page may see. Throws ElementsServiceError. */
export async function runService(
  services: Services,
  service: Service,
  args: readonly unknown[],
): Promise<unknown> {
  const { api } = services
  const [first, second, third] = args
  const method = service.slice(service.indexOf('.') + 1).toUpperCase()
  const fillPayload = async (payload: unknown) => (await fillElements(services, payload, 'anywhere')).payload
  switch (service) {
    case 'tokens.create':
      return sendToken(services, { method: 'POST', path: '/tokens' }, first, second)
    case 'tokenIntents.create':
      return sendToken(services, { method: 'POST', path: '/token-intents' }, first, second)
    case 'tokens.update': {
      const path = `/tokens/${encodeTokenId(first)}`
      return sendToken(
        services,
        { method: 'PATCH', path, type: 'application/merge-patch+json' },
        second,
        third,
      )
    }
    case 'tokens.retrieve':
      return retrieveToken(services, encodeTokenId(first), toRequestOptions(second))
    case 'tokens.encrypt':
      return encryptTokens(services, first)
    case 'tokenize': {
      const { payload, present } = await prepareTokenPayload(services, first, 'data within')
      const request: ApiRequest = { method: 'POST', path: '/tokenize', body: payload }
      const response = requireSuccess(api, await api.sendRequest(request, toRequestOptions(second)))
      return api.withDebugInfo(present(parseBody(response)), response)
    }
    case 'sessions.create':
      return toModel(
        api,
        await api.sendRequest({ method: 'POST', path: '/sessions' }, toRequestOptions(first)),
      )
    case 'proxy.get':
    case 'proxy.delete':
      return callProxy(services, method, first, undefined)
    case 'proxy.post':
    case 'proxy.put':
    case 'proxy.patch':
      return callProxy(services, method, first, await fillPayload(isBranch(first) ? first.body : undefined))
    case 'client.get':
    case 'client.delete':
      return callDirectly(services.base, method, first, undefined, second)
    case 'client.post':
    case 'client.put':
    case 'client.patch':
      return callDirectly(services.base, method, first, await fillPayload(second), third)
  }
}

/** Looks up the first six digits of a card number. Undefined if there is no result. */
export async function lookUp(api: Api, bin: string): Promise<unknown> {
  try {
    const path = `/enrichments/card-details?${new URLSearchParams({ bin })}`
    const response = await api.sendRequest({ method: 'GET', path })
    return response.status === 200 ? parseBody(response) : undefined
  } catch {
    // Elements work without card details.
    return undefined
  }
}

/**
 * Fills in the values of elements in a token request. `present` removes from the response what the page must
 * not see. Throws the errors of `fillElements` and `checkNoExpressions`.
 */
async function prepareTokenPayload(
  services: Services,
  input: unknown,
  placement: ElementPlacement,
): Promise<{ readonly payload: unknown; readonly present: (response: unknown) => unknown }> {
  const { payload, isRevealed } = await fillElements(services, input, placement)
  if (!isRevealed) return { payload, present: (response) => response }
  checkNoExpressions(input)
  return { payload, present: withoutData }
}

/** Fills in a payload's elements, and tells whether one was revealed. Throws BasisTheoryValidationError. */
async function fillElements(
  services: Services,
  payload: unknown,
  placement: ElementPlacement,
): Promise<{ readonly payload: unknown; readonly isRevealed: boolean }> {
  const elements = findElements(payload)
  if (elements.length === 0) return { payload, isRevealed: false }
  checkPlacement(payload, elements, placement)
  const reads = await services.readAll([...new Set(elements.map(({ placeholder }) => placeholder))])
  const checked = elements.map(({ path, placeholder }) => {
    const { problem, value } = reads.get(placeholder) ?? { problem: 'incomplete' }
    return { path, element: placeholder.$element, problem, isCard: isBranch(problem) || isBranch(value) }
  })
  if (checked.some(({ problem }) => problem !== null))
    throw createValidationError(checked, placement === 'data within')
  const values = new Map([...reads].map(([placeholder, { value }]) => [placeholder, value]))
  const isRevealed = [...reads.values()].some(({ revealed }) => revealed === true)
  return { payload: withValues(payload, values), isRevealed }
}

async function sendToken(
  services: Services,
  request: ApiRequest,
  input: unknown,
  options: unknown,
): Promise<unknown> {
  const { api } = services
  const { payload, present } = await prepareTokenPayload(services, input, 'data')
  const body = toSnakeCase(payload)
  return present(toModel(api, await api.sendRequest({ ...request, body }, toRequestOptions(options))))
}

async function retrieveToken(
  { api, references }: Services,
  id: string,
  options: RequestOptions,
): Promise<unknown> {
  // Fetch this id first, so that a lock during the read makes the references invalid.
  const opening = await api.fetchOpening()
  const response = requireSuccess(
    api,
    await api.sendRequest({ method: 'GET', path: `/tokens/${id}` }, options),
  )
  const token = parseBody(response)
  if (!isBranch(token)) throw api.toApiError(response, undefined)
  const { data } = parseExactly(response.text) as { data: unknown }
  return api.withDebugInfo(toCamelCase({ ...token, data: references.storeResponse(data, opening) }), response)
}

async function encryptTokens(services: Services, model: unknown): Promise<unknown> {
  const encryption = new Encryption(model)
  const placement = encryption.isSingle ? 'data' : 'data of each'
  const { payload, isRevealed } = await fillElements(services, encryption.requests, placement)
  // SECURITY: reject revealed values, because the page could create a token from the encrypted value, with a
  // mask that shows everything.
  if (isRevealed) throw createServiceError('A value set by reference cannot be encrypted')
  // SECURITY: encrypt only with keys of this vault. If the page could supply its own key, it could decrypt
  // the elements' values.
  const { status } = await services.api.sendRequest({
    method: 'GET',
    path: `/elements/key?${encryption.keyQuery}`,
  })
  if (status === 404)
    throw createServiceError('The public key does not belong to this vault, or it has expired.')
  if (status !== 204) throw createServiceError('The vault could not check the public key. Try again.')
  return encryption.encryptRequests(payload)
}

function toModel(api: Api, response: ApiResponse): unknown {
  return api.withDebugInfo(toCamelCase(parseBody(requireSuccess(api, response))), response)
}

function requireSuccess(api: Api, response: ApiResponse): ApiResponse {
  if (response.status < 200 || response.status >= 300) throw api.toApiError(response, parseBody(response))
  return response
}

function encodeTokenId(id: unknown): string {
  // SECURITY: a dot segment would lead to another route.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw createServiceError('A token id is required')
  return encodeURIComponent(id)
}

function toRequestOptions(value: unknown): RequestOptions {
  return isBranch(value) ? value : {}
}
