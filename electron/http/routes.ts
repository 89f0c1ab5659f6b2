import { CofferError, createInvalidError } from '../../shared/errors.ts'
import { isObject } from '../../shared/json.ts'
import { sanitizeName } from '../../shared/problems.ts'
import { type IgnoredMember, ignoreMembers } from '../../shared/validation.ts'
import { catalogue, type HttpMethod, type Operation, splitRoute } from '../engine/index.ts'

/** A route of the listener, computed from the catalogue. */
export type HttpRoute = {
  readonly name: string
  readonly operation: Operation
  readonly method: HttpMethod
  /** The path template, such as `/tokens/{id}`. */
  readonly path: string
  readonly params: readonly string[]
}

/** The routes of operations whose body and response are JSON. */
export const routes: readonly HttpRoute[] = listRoutes(({ streamed }) => !streamed)

/** The routes of operations whose body or response is a stream. They have separate handlers. */
export const streamedRoutes: readonly HttpRoute[] = listRoutes(({ streamed }) => streamed === true)

function listRoutes(isOne: (operation: Operation) => boolean): HttpRoute[] {
  return [...catalogue].flatMap(([name, operation]) => {
    if (operation.route === null || operation.passedOn || !isOne(operation)) return []
    const { method, path } = splitRoute(operation.route)
    const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    return [{ name, operation, method, path, params }]
  })
}

/**
 * Merges path, query and body into one input. Query parameters of an operation that takes none, and path parameters
 * that are also in the query or body, are collected in `ignored`; if that is null, they are rejected (rules A-08, T-12).
 * Throws `invalid`, naming the field.
 */
export function toInput(
  route: HttpRoute,
  params: Record<string, string>,
  parameters: Record<string, unknown>,
  body: unknown,
  ignored: IgnoredMember[] | null = null,
): unknown {
  const query = renameParameters(parameters, route.operation.queryNames)
  const queryNames = Object.keys(query)
  const takesQuery = route.method === 'GET'
  if (ignored) {
    ignoreMembers(query, takesQuery ? route.params : queryNames, ignored)
    if (isObject(body) && !route.operation.wholeBody) ignoreMembers(body, route.params, ignored)
  } else if (!takesQuery && queryNames.length > 0) {
    throw new CofferError('invalid', 'This operation takes no query parameters.', {
      errors: Object.fromEntries(
        queryNames.map((name) => [sanitizeName(name), ['is not a parameter of this operation']]),
      ),
    })
  }
  const members = isObject(body) && !route.operation.wholeBody ? body : {}
  const repeated = route.params.find((name) => name in query || Object.hasOwn(members, name))
  if (repeated !== undefined)
    throw createInvalidError(repeated, 'is in the path already and cannot be changed')
  if (route.operation.wholeBody) return { ...params, payload: body }
  if (body !== undefined && !isObject(body)) throw createInvalidError('body', 'must be a JSON object')
  return { ...query, ...body, ...params }
}

/** Returns a query with the names of input members. */
function renameParameters(query: Record<string, unknown>, names: Operation['queryNames']) {
  if (!names) return query
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [Object.hasOwn(names, name) ? names[name] : name, value]),
  )
}

/**
 * Paths of other operations that match this one's pattern, such as `/applications/key` and `/applications/{id}`;
 * none for `/tokens/{id}`, where any word can be an id.
 */
export function listFixedPaths({ operation, path, params }: HttpRoute): string[] {
  if (params.length === 0 || operation.entity === 'token') return []
  const parts = path.split('/')
  const fixed = routes.filter((each) => each.params.length === 0).map((each) => each.path.split('/'))
  const alike = fixed.filter(
    (each) =>
      each.length === parts.length &&
      each.every((part, at) => parts[at]?.startsWith('{') || parts[at] === part),
  )
  return alike.map((each) => each.join('/'))
}
