import { CofferError } from '../../../shared/errors.ts'
import { ConsideredRules, type PermissionTarget } from './considered-rules.tsx'
import { findMissingPermission } from './permission-rejection.ts'
import { useViewAs } from './view-as.ts'

type Props = {
  readonly problem: unknown
  /** What the request was about, if anything. */
  readonly on: PermissionTarget | null
}

/** Explains a 403 an application's key got; renders nothing for the owner or any other failure. */
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
