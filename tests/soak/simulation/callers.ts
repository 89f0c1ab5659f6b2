import { type Caller, catalogue, type Operation } from '../../../electron/engine/index.ts'
import {
  type ApplicationType,
  type Permission,
  permissionNames,
  permissions,
} from '../../../shared/permissions.ts'
import type { AccessRule } from '../../../shared/schemas/rule.ts'
import { getDocumentedNeed } from '../../engine/documented-permissions.ts'
import { findAccess, holdsPermission, type ModelCaller } from '../../engine/model-access.ts'
import { ownerCaller, type SimulatedCall, type SimulatedVault } from './simulated-vault.ts'

export type SimulatedCaller = {
  readonly name: string
  readonly caller: Caller
  /** What the model knows about it: null if nobody may answer it, undefined if the model does not follow it. */
  readonly who: ModelCaller | null | undefined
  readonly type: ApplicationType | null
  /** When it is no longer valid, in epoch ms. */
  readonly until?: number
}

const listHeld = (type: ApplicationType) =>
  permissionNames.filter((name) => permissions[name].application_types.some((each) => each === type))

const readAll: Permission[] = ['token:read', 'token:search', 'token:use', 'token:create', 'token:update']
const createRule = (priority: number, container: string, transform: AccessRule['transform']): AccessRule => ({
  ...{ priority, container, transform, permissions: readAll },
})

type NewCaller = { readonly type: ApplicationType; permissions?: Permission[]; rules?: AccessRule[] }

/** The applications of each simulation: with everything, with rules, and with little. */
function listNewCallers(random: () => number): NewCaller[] {
  const some = listHeld('private').filter(() => random() < 0.3)
  return [
    { type: 'management', permissions: listHeld('management') },
    { type: 'private', permissions: listHeld('private') },
    { type: 'private', rules: [createRule(1, '/a/', 'mask'), createRule(2, '/a/b/', 'reveal')] },
    { type: 'private', rules: [createRule(1, '/b/', 'redact'), createRule(2, '/', 'reveal')] },
    { type: 'private', permissions: [...new Set<Permission>(['token:delete', ...some])] },
    { type: 'public', permissions: listHeld('public') },
  ]
}

/** Creates the applications, two sessions, and keys that are no longer valid, or never were. */
export async function createCallers(vault: SimulatedVault): Promise<SimulatedCaller[]> {
  const callers: SimulatedCaller[] = []
  for (const [at, grants] of listNewCallers(vault.process.getRandom).entries()) {
    const { id, key } = await vault.application({ ...grants })
    const { permissions = [], rules = [] } = grants
    const who = { kind: 'application', id, grants: { permissions, rules } } as const
    callers.push({
      ...{ name: `application ${at} (${grants.type})`, caller: { kind: 'key', key }, who, type: grants.type },
    })
    if (at < 3) {
      const viewed = { name: `application ${at}, as seen by the owner`, type: grants.type, who } as const
      callers.push({ ...viewed, caller: { kind: 'as', application_id: id } })
    }
  }
  const { id, key } = await vault.application({ permissions: ['token:read'] })
  await vault.owner.applications.remove({ id })
  const dead = { who: null, type: null } as const
  return [
    ownerCaller,
    ...callers,
    { ...dead, name: 'a deleted application', caller: { kind: 'key', key } },
    { ...dead, name: 'an unknown key', caller: { kind: 'key', key: `${key.slice(0, -1)}0` } },
    { ...dead, name: 'no key', caller: { kind: 'key', key: '' } },
    { name: 'a cardholder', caller: { kind: 'cardholder' }, who: undefined, type: null },
  ]
}

/** What the operations on one token need on its containers. */
const tokenPermissions: Readonly<Record<string, string>> = {
  'tokens.get': 'token:read',
  'tokens.update': 'token:update',
  'tokens.remove': 'token:delete',
  'enrichments.bankAccountVerify': 'token:use',
}

/** Whether a caller has a permission for an operation, on some container. */
export function mayCall({ caller, who, type }: SimulatedCaller, name: string): boolean {
  const operation = catalogue.get(name)
  if (!operation || !who || who.kind === 'owner')
    return caller.kind === (operation?.permission === 'cardholder' ? 'cardholder' : 'owner')
  const need = getDocumentedNeed(name, operation.route) ?? []
  return need.includes('any') || need.some((each) => each === type || holdsPermission(who, each))
}

/** What the model knows about tokens. */
export type KnownTokens = {
  getContainers(id: string): readonly string[] | undefined
  getData(id: string): unknown
}

/** Returns why a call must not have ended as it did; null if it may have. */
export function findAccessProblem(
  call: SimulatedCall,
  { route, permission }: Pick<Operation, 'route' | 'permission'>,
  known: KnownTokens,
): string | null {
  const { name, result, error } = call
  const { caller, who } = call.caller
  if (who === null) return result && 'an invalid key was answered'
  if (caller.kind === 'cardholder')
    return result && permission !== 'cardholder' ? 'a cardholder was answered' : null
  if (who === undefined || who.kind === 'owner') return null
  const need = getDocumentedNeed(name, route) ?? []
  if (result)
    return mayCall(call.caller, name) ? findTokenProblem(call, who, known) : `it needs ${need.join(' or ')}`
  const isGranted = need.some((each) => who.grants.permissions.some((held) => held === each))
  return error?.code === 'forbidden' && isGranted && !/invoke/.test(need.join()) ? 'it is permitted' : null
}

function findTokenProblem(call: SimulatedCall, who: ModelCaller, known: KnownTokens): string | null {
  const { id, token_id } = Object(call.input) as { id?: string; token_id?: string }
  const needed = tokenPermissions[call.name]
  const containers = needed === undefined ? undefined : known.getContainers(id ?? token_id ?? '')
  if (needed !== undefined && containers) {
    const which = needed === 'token:update' || needed === 'token:delete' ? 'all' : 'any'
    if (!findAccess(who, needed, containers, which, id)) return `${needed} is not granted on ${containers}`
  }
  const listed = listTokens(call).find(({ containers: its }) => !findAccess(who, 'token:read', its))
  if (listed) return `token:read is not granted on ${listed.containers}`
  const shown = listTokens(call).find((token) => !isShownAsGranted(token, who, known))
  return shown ? `the data of ${shown.id} is shown in another form than its rules say` : null
}

type ShownToken = { readonly id: string; readonly containers: readonly string[]; readonly data?: unknown }

/** Returns the tokens that a read has answered. */
function listTokens({ name, result }: SimulatedCall): readonly ShownToken[] {
  const output: unknown = result?.output
  if (name === 'tokens.get') return [output as ShownToken]
  return /^tokens\.(list|search)/.test(name) ? (output as { data: readonly ShownToken[] }).data : []
}

function isShownAsGranted(
  { id, containers, data }: ShownToken,
  who: ModelCaller,
  known: KnownTokens,
): boolean {
  const stored = known.getData(id)
  return (
    stored === undefined || (findAccess(who, 'token:read', containers) === 'reveal') === (stored === data)
  )
}
