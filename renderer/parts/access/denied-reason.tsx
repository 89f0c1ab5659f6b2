import { CofferError } from '../../../shared/errors.ts'
import { ConsideredRules, type PermissionTarget } from './considered-rules.tsx'
import { findMissingPermission } from './permission-rejection.ts'
import { useViewAs } from './view-as.ts'

type Props = {
  readonly problem: unknown
  /** The resource of the request; null if it has none. */
  readonly on: PermissionTarget | null
}

/** Explains the 403 that an application's key received. Renders nothing for the owner or for other errors. */
export function DeniedReason({ problem, on }: Props) {
  const { as } = useViewAs()
  const missing = problem instanceof CofferError ? findMissingPermission(problem.missing) : null
  if (!as || !missing) return null
  const { permission, containers } = missing
  return (
    <ConsideredRules
      application_id={as.id}
      permission={permission}
      on={containers && (on ?? { containers })}
    />
  )
}
