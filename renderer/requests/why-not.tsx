import { useLooking } from '../looking.ts'
import { isStatus } from '../sentence.ts'
import { ConsideredRules, type Where } from './considered-rules.tsx'
import { missingIn } from './why.ts'

type Props = {
  readonly problem: unknown
  /** What was asked about, where something was. */
  readonly on: Where | null
}

/** Why an application's key got 403, below the refusal that it got; nothing for the owner and any other failure. */
export function WhyNot({ problem, on }: Props) {
  const { as } = useLooking()
  const missing = isStatus(problem, 403) && problem instanceof Error ? missingIn(problem.message) : null
  if (!as || !missing || (!missing.anywhere && !on)) return null
  const { permission, anywhere } = missing
  return <ConsideredRules application_id={as.id} permission={permission} on={anywhere ? null : on} />
}
