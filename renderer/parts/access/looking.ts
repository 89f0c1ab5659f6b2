import type { Permission } from '../../../shared/permissions.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { vaultStore } from '../connection/store.ts'
import { vaultAs } from '../connection/vault.ts'
import { leaving } from '../navigation/unsaved.ts'
import { useApplications } from './application-names.ts'

type Looking = {
  /** The application whose eyes the window looks through; null for the owner's own. */
  readonly as: Pick<Application, 'id' | 'name' | 'type'> | null
}

export const useLooking = vaultStore<Looking>(() => ({ as: null }))

/** Looks through an application's key from now on, or as the owner again; `then` is what follows. */
export function lookAs(application: Looking['as'], then = () => {}): void {
  leaving(() => {
    useLooking.setState({ as: application })
    then()
  })
}

/** Does what only the owner may do: looks as the owner from now on, and goes on. */
export function asOwner(then: () => void): void {
  lookAs(null, then)
}

/** The client that lists and drawers read with: the owner's or the application's. */
export function reader() {
  return vaultAs(useLooking.getState().as?.id ?? null)
}

/** Whether an application holds a permission at all, wherever it is. */
function holds(
  { permissions, rules }: Pick<Application, 'permissions' | 'rules'>,
  wanted: readonly Permission[],
): boolean {
  return [permissions, ...rules.map((rule) => rule.permissions)].some((granted) =>
    wanted.some((each) => granted.includes(each)),
  )
}

/**
 * Whether those through whose eyes the window looks may ask at all, by one of the permissions: what is known to be
 * refused is not asked for, so that looking leaves no refusals in the log.
 */
export function useMay(...wanted: readonly Permission[]): boolean {
  const { as } = useLooking()
  const { applications } = useApplications()
  const application = as && applications.find(({ id }) => id === as.id)
  return !application || holds(application, wanted)
}
