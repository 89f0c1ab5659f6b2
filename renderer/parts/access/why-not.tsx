import { CofferError } from '../../../shared/errors.ts'
import { ConsideredRules, type Where } from './considered-rules.tsx'
import { useLooking } from './looking.ts'
import { missingIn } from './why.ts'

type Props = {
  readonly problem: unknown
  /** What was asked about, where something was. */
  readonly on: Where | null
}

/** Why an application's key got 403, below the refusal that it got; nothing for the owner and any other failure. */
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
