import type { Permission } from '../../../shared/permissions.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { createVaultStore } from '../connection/store.ts'
import { createClientAs } from '../connection/vault.ts'
import { confirmLeave } from '../navigation/unsaved.ts'
import { useApplications } from './application-names.ts'

type ViewAsState = {
  /** The application whose view the window shows; null for the owner. */
  readonly as: Pick<Application, 'id' | 'name' | 'type'> | null
}

export const useViewAs = createVaultStore<ViewAsState>(() => ({ as: null }))

/** Whether the window shows the owner's view. */
export const useIsOwner = (): boolean => useViewAs(({ as }) => as === null)

/** Switches to an application's view, or back to the owner's, and then runs `then`. */
export function viewAs(application: ViewAsState['as'], then = () => {}): void {
  confirmLeave(() => {
    useViewAs.setState({ as: application })
    then()
  })
}

/** Switches to the owner's view, and then runs an action that only the owner may take. */
export function viewAsOwner(then: () => void): void {
  viewAs(null, then)
}

/** The API client of the current view, for lists and drawers. */
export function getReadClient() {
  return createClientAs(useViewAs.getState().as?.id ?? null)
}

function hasPermission(
  { permissions, rules }: Pick<Application, 'permissions' | 'rules'>,
  required: readonly Permission[],
): boolean {
  return [permissions, ...rules.map((rule) => rule.permissions)].some((granted) =>
    required.some((each) => granted.includes(each)),
  )
}

/**
 * Whether the current view has at least one of these permissions. Requests that would get a 403 are not
 * sent, because they would add records to the log.
 */
export function useMay(...required: readonly Permission[]): boolean {
  const { as } = useViewAs()
  const { rows: applications } = useApplications()
  const application = as && applications.find(({ id }) => id === as.id)
  return !application || hasPermission(application, required)
}
