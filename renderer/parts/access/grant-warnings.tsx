import { getPermissionWarning, type Permission } from '../../../shared/permissions.ts'
import { Caution } from '../../ui/failure.tsx'

/** What these permissions also give away, for those that do (case X-51). */
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
