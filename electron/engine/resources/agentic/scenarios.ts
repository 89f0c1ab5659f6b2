import type { AgenticCard } from '../../../../shared/schemas/agentic.ts'

/** The documented test cards of agentic payments (rule Z-03). */
const scenarios = {
  '4242424242424242': 'approved',
  '4000056655665556': 'bypass',
  '4929980395567582': 'invalid_otp',
  '4916725297925395': 'max_attempts',
  '4330251207506660': 'rejected',
  '4539097887163333': 'rejected',
  '4929544240318920': 'rejected',
  '4000000000003063': 'fails_once',
  '4000000000003071': 'fails',
} as const

export type CardScenario = (typeof scenarios)[keyof typeof scenarios] | 'otp' | 'redirect'

/** Returns the scenario of a card: every other Visa card needs a code, every Mastercard the page of its network. */
export function findScenario(number: string, brand: AgenticCard['brand']): CardScenario {
  const documented: Readonly<Record<string, CardScenario>> = scenarios
  return documented[number] ?? (brand === 'visa' ? 'otp' : 'redirect')
}
