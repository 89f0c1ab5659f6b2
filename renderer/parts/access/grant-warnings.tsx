import { getPermissionWarning, type Permission } from '../../../shared/permissions.ts'
import { Caution } from '../../ui/failure.tsx'

/** Warns about permissions that reveal more than their names suggest (case X-51). */
export function GrantWarnings({ permissions }: { permissions: readonly Permission[] }) {
  return permissions.map((permission) => {
    const warning = getPermissionWarning(permission)
    return (
      warning !== undefined && (
        <Caution key={permission}>
          <div className="mono">{permission}</div>
          {warning}.
        </Caution>
      )
    )
  })
}
