import { CofferError } from '../../../shared/errors.ts'
import { ConsideredRules, type Where } from './considered-rules.tsx'
import { useLooking } from './looking.ts'
import { missingIn } from './why.ts'

type Props = {
  readonly problem: unknown
  /** What the request was about, if anything. */
  readonly on: Where | null
}

/** Explains a 403 an application's key got; renders nothing for the owner or any other failure. */
export function WhyNot({ problem, on }: Props) {
  const { as } = useLooking()
  const missing = problem instanceof CofferError ? missingIn(problem.missing) : null
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
