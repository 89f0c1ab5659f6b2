import type { JsonSchema } from './json-schema.ts'
import { identifyOperation } from './operation-ids.ts'
import { type HttpRoute, routes, streamedRoutes } from './routes.ts'

const asyncRun = { id: 'asyncReactorRequestId', base: '/reactors/{id}/results' }
/** Where the response of a creation has the id, and the path of what was made, if they do not follow from the route. */
const exceptions: Readonly<Record<string, { readonly id: string; readonly base?: string }>> = {
  'clientKeys.create': { id: 'key_id' },
  'reactors.react': asyncRun,
  'reactors.reactAsync': asyncRun,
}

/** Returns the link from a page to the next one, if its list has cursors (rule A-16). */
export function describeLinkToNext(route: HttpRoute, content: JsonSchema): JsonSchema {
  if (!JSON.stringify(content).includes('"next":')) return {}
  return { links: Object.fromEntries([toLink(route, { start: '$response.body#/pagination/next' })]) }
}

/** Returns the links from a creation with this status to the operations on what was made (rule A-16). */
export function describeLinksToMade({ name, path, params }: HttpRoute, status: number): JsonSchema {
  if (status === 200) return {}
  const { id, base = path } = exceptions[name] ?? { id: 'id' }
  const ofCreation = Object.fromEntries(params.map((param) => [param, `$request.path.${param}`]))
  const links = [...routes, ...streamedRoutes].flatMap((each) => {
    const [made = '', ...others] = each.params.slice(params.length)
    if (!each.path.startsWith(`${base}/{${made}}`) || others.length > 0) return []
    return [toLink(each, { ...ofCreation, [made]: `$response.body#/${id}` })]
  })
  return links.length === 0 ? {} : { links: Object.fromEntries(links) }
}

function toLink(
  { name, path }: HttpRoute,
  parameters: Readonly<Record<string, string>>,
): [string, JsonSchema] {
  const { operationId } = identifyOperation(name, path)
  return [operationId, { operationId, parameters }]
}
