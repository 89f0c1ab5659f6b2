import type { Placeholder, Service } from '../protocol.ts'
import type { Api, ApiRequest, Received, RequestOptions } from './api.ts'
import { bodyOf } from './body.ts'
import { callDirectly } from './direct.ts'
import { Encryption } from './encrypt.ts'
import { failed, validationError } from './errors.ts'
import { readExactly } from './exact-json.ts'
import { camelCased, snakeCased } from './letter-case.ts'
import { elementsIn, isBranch, withValues } from './payload.ts'
import { checkPlaces, type Places } from './places.ts'
import { callProxy } from './proxy.ts'
import type { References } from './references.ts'
import { checkNoExpressions, withoutData } from './revealed.ts'
import type { Read } from './siblings.ts'

export type Services = {
  readonly api: Api
  readonly references: References
  /** This frame's origin. */
  readonly base: string
  readonly readAll: (placeholders: readonly Placeholder[]) => Promise<Map<Placeholder, Read>>
}

/** Makes a page's call, and gives what the page may see of the answer. Throws Failed. */
export async function serve(
  services: Services,
  service: Service,
  args: readonly unknown[],
): Promise<unknown> {
  const { api } = services
  const [first, second, third] = args
  const filled = (payload: unknown) => withElements(services, payload, 'anywhere')
  switch (service) {
    case 'tokens.create': {
      const { payload, shown } = await forTokens(services, first, 'data')
      const request: ApiRequest = { method: 'POST', path: '/tokens', body: snakeCased(payload) }
      return shown(modelOf(api, await api.send(request, optionsOf(second))))
    }
    case 'tokens.update': {
      const path = `/tokens/${idOf(first)}`
      const { payload, shown } = await forTokens(services, second, 'data')
      const type = 'application/merge-patch+json'
      const request: ApiRequest = { method: 'PATCH', path, body: snakeCased(payload), type }
      return shown(modelOf(api, await api.send(request, optionsOf(third))))
    }
    case 'tokens.retrieve':
      return retrieved(services, idOf(first), optionsOf(second))
    case 'tokens.encrypt':
      return encrypted(services, first)
    case 'tokenize': {
      const { payload, shown } = await forTokens(services, first, 'data within')
      const request: ApiRequest = { method: 'POST', path: '/tokenize', body: payload }
      const answer = succeeded(api, await api.send(request, optionsOf(second)))
      return api.shown(shown(bodyOf(answer)), answer)
    }
    case 'tokenIntents.create': {
      const { payload, shown } = await forTokens(services, first, 'data')
      const request: ApiRequest = { method: 'POST', path: '/token-intents', body: snakeCased(payload) }
      return shown(modelOf(api, await api.send(request, optionsOf(second))))
    }
    case 'sessions.create':
      return modelOf(api, await api.send({ method: 'POST', path: '/sessions' }, optionsOf(first)))
    case 'proxy.get':
    case 'proxy.delete':
      return callProxy(services, methodOf(service), first, undefined)
    case 'proxy.post':
    case 'proxy.put':
    case 'proxy.patch':
      return callProxy(
        services,
        methodOf(service),
        first,
        (await filled(isBranch(first) ? first.body : undefined)).payload,
      )
    case 'client.get':
    case 'client.delete':
      return callDirectly(services.base, methodOf(service), first, undefined, second)
    case 'client.post':
    case 'client.put':
    case 'client.patch':
      return callDirectly(services.base, methodOf(service), first, (await filled(second)).payload, third)
  }
}

/** Looks up the first six digits of a card number. Gives undefined where there is no answer. */
export async function lookUp(api: Api, bin: string): Promise<unknown> {
  try {
    const path = `/enrichments/card-details?${new URLSearchParams({ bin })}`
    const answer = await api.send({ method: 'GET', path })
    return answer.status === 200 ? bodyOf(answer) : undefined
  } catch {
    // An element does without.
    return undefined
  }
}

/** A request for tokens with the values of its elements, and how the page is shown its answer. Throws as `withElements`. */
async function forTokens(
  services: Services,
  given: unknown,
  places: Places,
): Promise<{ readonly payload: unknown; readonly shown: (answer: unknown) => unknown }> {
  const { payload, isRevealed } = await withElements(services, given, places)
  if (!isRevealed) return { payload, shown: (answer) => answer }
  checkNoExpressions(given)
  return { payload, shown: withoutData }
}

/**
 * A payload with the values of its elements, and whether one of them was revealed. Throws BasisTheoryValidationError
 * before anything is sent.
 */
async function withElements(
  services: Services,
  payload: unknown,
  places: Places,
): Promise<{ readonly payload: unknown; readonly isRevealed: boolean }> {
  const found = elementsIn(payload)
  if (found.length === 0) return { payload, isRevealed: false }
  checkPlaces(payload, found, places)
  const reads = await services.readAll([...new Set(found.map(({ placeholder }) => placeholder))])
  const checked = found.map(({ path, placeholder }) => {
    const { problem, value } = reads.get(placeholder) ?? { problem: 'incomplete' }
    return { path, element: placeholder.$element, problem, isCard: isBranch(problem) || isBranch(value) }
  })
  if (checked.some(({ problem }) => problem !== null))
    throw validationError(checked, places === 'data within')
  const values = new Map([...reads].map(([placeholder, { value }]) => [placeholder, value]))
  const isRevealed = [...reads.values()].some(({ revealed }) => revealed === true)
  return { payload: withValues(payload, values), isRevealed }
}

async function retrieved(
  { api, references }: Services,
  id: string,
  options: RequestOptions,
): Promise<unknown> {
  // Asked first: whatever is locked while the token is read makes its references void.
  const opening = await api.opening()
  const answer = succeeded(api, await api.send({ method: 'GET', path: `/tokens/${id}` }, options))
  const token = bodyOf(answer)
  if (!isBranch(token)) throw api.errorOf(answer, undefined)
  const { data } = readExactly(answer.text) as { data: unknown }
  return api.shown(camelCased({ ...token, data: references.keep(data, opening) }), answer)
}

async function encrypted(services: Services, model: unknown): Promise<unknown> {
  const encryption = new Encryption(model)
  const places = encryption.isSingle ? 'data' : 'data of each'
  const { payload, isRevealed } = await withElements(services, encryption.requests, places)
  // SECURITY: a page could make a token of it, with a mask that shows all.
  if (isRevealed) throw failed('A value set by reference cannot be encrypted')
  // SECURITY: a page that encrypted for a key of its own would read what elements hold.
  const { status } = await services.api.send({ method: 'GET', path: `/elements/key?${encryption.named}` })
  if (status === 404) throw failed('The public key is not one of this vault, or it has expired.')
  if (status !== 204) throw failed('The vault did not say whether the public key is its own.')
  return encryption.result(payload)
}

/** An answer in the page's case. */
function modelOf(api: Api, answer: Received): unknown {
  return api.shown(camelCased(bodyOf(succeeded(api, answer))), answer)
}

function succeeded(api: Api, answer: Received): Received {
  if (answer.status < 200 || answer.status >= 300) throw api.errorOf(answer, bodyOf(answer))
  return answer
}

function methodOf(service: Service): string {
  return service.slice(service.indexOf('.') + 1).toUpperCase()
}

function idOf(id: unknown): string {
  // SECURITY: a dot segment would lead to another path.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw failed('The id of a token is needed')
  return encodeURIComponent(id)
}

function optionsOf(given: unknown): RequestOptions {
  return isBranch(given) ? given : {}
}
