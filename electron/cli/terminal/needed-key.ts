import {
  type ApplicationType,
  mayHold,
  type Permission,
  permissionNames,
} from '../../../shared/permissions.ts'
import { catalogue, splitRoute } from '../../engine/index.ts'
import { testControlRoutes } from '../../http/test-control-routes.ts'

/** What a request needs of its key: the type of the application, and one of the permissions, if there are any. */
export type NeededKey = {
  readonly type: ApplicationType
  readonly permissions: readonly Permission[]
  /** Whether work goes on after the response, with the rights of the key. */
  readonly isLasting?: boolean
}

type NeedsOfRoute = { readonly method: string; readonly path: string; readonly needed: NeededKey }

/** Lists the routes of the API and of the test controls, with what each needs of a key. */
export function listKnownRoutes(): NeedsOfRoute[] {
  const controls = testControlRoutes.map(({ method, path, permission }) => ({
    method,
    path,
    needed: { type: 'management', permissions: [permission] } as const,
  }))
  const operations = [...catalogue].flatMap(([name, { route, permission }]) => {
    if (route === null) return []
    const permissions = permissionNames.filter((each) => [permission].flat().includes(each))
    return [{ ...splitRoute(route), needed: { type: getKeyType(name, permissions), permissions } }]
  })
  return [...operations, ...controls]
}

/** Returns what a request needs of its key. A request that no route matches needs a private key. */
export function findNeededKey(method: string, path: string): NeededKey {
  const [plain = ''] = path.replace(/^\/api(?=\/)/, '').split('?', 1)
  const matching = listKnownRoutes().filter(
    (route) => route.method === (method === 'HEAD' ? 'GET' : method) && toPattern(route.path).test(plain),
  )
  // `/applications/key` also matches `/applications/{id}`.
  const [nearest] = matching.toSorted((a, b) => countParameters(a.path) - countParameters(b.path))
  const needed = nearest?.needed ?? { type: 'private', permissions: [] }
  return { ...needed, isLasting: plain.endsWith('/react-async') }
}

function getKeyType(name: string, permissions: readonly Permission[]): ApplicationType {
  if (name === 'sessions.create') return 'public'
  const types = ['private', 'management', 'public'] as const
  const canHold = (type: ApplicationType) => permissions.some((permission) => mayHold(type, permission))
  return types.find(canHold) ?? 'private'
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function countParameters(path: string): number {
  return path.split('{').length
}
