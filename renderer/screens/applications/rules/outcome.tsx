import { transformTones } from '../../../parts/access/rule-card.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { strings } from './strings.ts'
import type { AccessDecision } from './use-decisions.ts'

const t = strings.matrix

type Outcome = Pick<AccessDecision, 'allowed' | 'transform'>

export function describeOutcome({ allowed, transform }: Outcome): string {
  if (!allowed) return t.refused
  return transform === null ? t.allowed : t.transforms[transform]
}

/** An outcome. A refusal is the usual one, so it does not stand out. */
export function OutcomeChip({ of }: { of: Outcome }) {
  const { allowed, transform } = of
  if (!allowed) return <span className="faint">{t.refused}</span>
  return <Chip tone={transform === null ? 'plain' : transformTones[transform]}>{describeOutcome(of)}</Chip>
}
