import type { JsonSchema } from './json-schema.ts'
import { identifyOperation } from './operation-ids.ts'
import { type HttpRoute, routes, streamedRoutes } from './routes.ts'

/** Where the response of a creation has the id, and the path of what was made, if they do not follow from the route. */
const exceptions: Readonly<Record<string, { readonly id: string; readonly base?: string }>> = {
  'clientKeys.create': { id: 'key_id' },
  'reactors.reactAsync': { id: 'asyncReactorRequestId', base: '/reactors/{id}/results' },
}

/**
 * Returns the links of an operation's success response (rule A-16): from a creation to the operations on what was made,
 * and from a page to the next one.
 */
export function describeLinks(route: HttpRoute, queryNames: readonly string[]): JsonSchema {
  const links = queryNames.includes('start')
    ? [toLink(route, { start: '$response.body#/pagination/next' })]
    : listLinksToMade(route)
  return links.length === 0 ? {} : { links: Object.fromEntries(links) }
}

function listLinksToMade({ name, operation, method, path, params }: HttpRoute): [string, JsonSchema][] {
  if (method !== 'POST' || operation.status === 200) return []
  const { id, base = path } = exceptions[name] ?? { id: 'id' }
  const ofCreation = Object.fromEntries(params.map((param) => [param, `$request.path.${param}`]))
  return [...routes, ...streamedRoutes].flatMap((each) => {
    const [made = '', ...others] = each.params.slice(params.length)
    if (!each.path.startsWith(`${base}/{${made}}`) || others.length > 0) return []
    return [toLink(each, { ...ofCreation, [made]: `$response.body#/${id}` })]
  })
}

function toLink(
  { name, path }: HttpRoute,
  parameters: Readonly<Record<string, string>>,
): [string, JsonSchema] {
  const { operationId } = identifyOperation(name, path)
  return [operationId, { operationId, parameters }]
}
