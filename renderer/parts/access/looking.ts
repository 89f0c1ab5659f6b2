import type { Permission } from '../../../shared/permissions.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { vaultStore } from '../connection/store.ts'
import { vaultAs } from '../connection/vault.ts'
import { leaving } from '../navigation/unsaved.ts'
import { useApplications } from './application-names.ts'

type Looking = {
  /** The application the window looks as; null for the owner. */
  readonly as: Pick<Application, 'id' | 'name' | 'type'> | null
}

export const useLooking = vaultStore<Looking>(() => ({ as: null }))

/** Switches the view to an application, or back to the owner, then runs `then`. */
export function lookAs(application: Looking['as'], then = () => {}): void {
  leaving(() => {
    useLooking.setState({ as: application })
    then()
  })
}

/** Switches to the owner's view, then runs `then`, which only the owner may do. */
export function asOwner(then: () => void): void {
  lookAs(null, then)
}

/** The client for lists and drawers: the owner's, or that of the application looked as. */
export function reader() {
  return vaultAs(useLooking.getState().as?.id ?? null)
}

/** Whether an application holds a permission anywhere. */
function holds(
  { permissions, rules }: Pick<Application, 'permissions' | 'rules'>,
  wanted: readonly Permission[],
): boolean {
  return [permissions, ...rules.map((rule) => rule.permissions)].some((granted) =>
    wanted.some((each) => granted.includes(each)),
  )
}

/**
 * Whether the current view holds at least one of these permissions. Requests that are known to be refused are not
 * sent, so that looking as an application leaves no refusals in the log.
 */
export function useMay(...wanted: readonly Permission[]): boolean {
  const { as } = useLooking()
  const { applications } = useApplications()
  const application = as && applications.find(({ id }) => id === as.id)
  return !application || holds(application, wanted)
}
