import { CofferError } from '../../../shared/errors.ts'
import { findNearestName } from '../../../shared/nearest-name.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { listAllApplications } from '../../host/all-applications.ts'
import type { OwnersEngine } from '../../host/transfer/owner-client.ts'
import { formatCommand } from '../hint.ts'
import type { NeededKey } from './needed-key.ts'
import { formatNames } from './printable.ts'

/** Returns the application with this name or id. Throws `not_found` with similar names, and `conflict` if several match. */
export async function findApplication(engine: OwnersEngine, name: string): Promise<Application> {
  const all = await listAllApplications(engine)
  const matching = all.filter((each) => each.id === name || each.name === name)
  const [one, ...others] = matching
  if (one && others.length === 0) return one
  if (one) {
    const ids = matching.map(({ id }) => id).join(', ')
    throw new CofferError('conflict', `Several applications have this name. Name one by its id: ${ids}.`)
  }
  const names = [...new Set(all.map((each) => each.name))]
  const near = findNearestName(name, names)
  const hint =
    near === undefined ? `There are: ${formatNames(names)}.` : `Did you mean ${formatNames([near])}?`
  throw new CofferError(
    'not_found',
    names.length === 0 ? 'The vault has no applications.' : `No application has this name or id. ${hint}`,
  )
}

/** Returns the named application, or else the oldest one that may send the request. */
export async function chooseApplication(
  engine: OwnersEngine,
  name: string | undefined,
  needed: NeededKey,
): Promise<Application> {
  if (name !== undefined) return findApplication(engine, name)
  const { type, permissions } = needed
  const oldestFirst = (await listAllApplications(engine)).toReversed()
  const isAllowed = (each: Application) => {
    const granted = [...each.permissions, ...each.rules.flatMap((rule) => rule.permissions)]
    return permissions.length === 0 || permissions.some((permission) => granted.includes(permission))
  }
  const allowed = oldestFirst.filter(isAllowed)
  const chosen = allowed.find((each) => each.type === type) ?? allowed[0]
  if (chosen) return chosen
  const create = formatCommand('keys', 'create', '--type', type)
  throw new CofferError(
    'not_found',
    `No application may send this request: it needs ${permissions.join(' or ')}. Create one with: ${create}`,
  )
}
