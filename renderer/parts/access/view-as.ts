import type { Permission } from '../../../shared/permissions.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { createVaultStore } from '../connection/store.ts'
import { vaultAs } from '../connection/vault.ts'
import { confirmLeave } from '../navigation/unsaved.ts'
import { useApplications } from './application-names.ts'

type ViewAsState = {
  /** The application the window looks as; null for the owner. */
  readonly as: Pick<Application, 'id' | 'name' | 'type'> | null
}

export const useViewAs = createVaultStore<ViewAsState>(() => ({ as: null }))

/** Switches the view to an application, or back to the owner, then runs `then`. */
export function viewAs(application: ViewAsState['as'], then = () => {}): void {
  confirmLeave(() => {
    useViewAs.setState({ as: application })
    then()
  })
}

/** Switches to the owner's view, then runs `then`, which only the owner may do. */
export function viewAsOwner(then: () => void): void {
  viewAs(null, then)
}

/** The client for lists and drawers: the owner's, or that of the application looked as. */
export function getReadClient() {
  return vaultAs(useViewAs.getState().as?.id ?? null)
}

/** Whether an application holds a permission anywhere. */
function hasPermission(
  { permissions, rules }: Pick<Application, 'permissions' | 'rules'>,
  required: readonly Permission[],
): boolean {
  return [permissions, ...rules.map((rule) => rule.permissions)].some((granted) =>
    required.some((each) => granted.includes(each)),
  )
}

/**
 * Whether the current view holds at least one of these permissions. Requests that are known to be refused are not
 * sent, so that looking as an application leaves no refusals in the log.
 */
export function useMay(...required: readonly Permission[]): boolean {
  const { as } = useViewAs()
  const { applications } = useApplications()
  const application = as && applications.find(({ id }) => id === as.id)
  return !application || hasPermission(application, required)
}
