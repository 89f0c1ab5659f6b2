import type { AgenticCard, InstructionContent } from '../../../../shared/schemas/agentic.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { CardScenario } from './scenarios.ts'
import type { EnrollmentRow, InstructionRow } from './store.ts'

/** The sealed content of an enrollment. SECURITY: of the card, never its number or cvc. */
export type EnrollmentContent = {
  readonly card: AgenticCard
  readonly scenario: CardScenario
  /** The consumer's email address, which the code is sent to; absent once the enrollment is deleted. */
  readonly email?: string
}

/** What is sealed, by the entity whose row holds it. */
type Contents = { readonly enrollment: EnrollmentContent; readonly instruction: InstructionContent }

export function sealContent<Name extends keyof Contents>(
  { keyring }: { keyring: Keyring },
  entity: Name,
  id: string,
  content: Contents[Name],
): Buffer {
  return keyring.sealValue(JSON.stringify(content), id, entity)
}

/** Opens the content of an enrollment. Throws `damaged`. */
export function openEnrollment({ keyring }: { keyring: Keyring }, row: EnrollmentRow): EnrollmentContent {
  return JSON.parse(keyring.openValue(row.content, row.id, 'enrollment'))
}

/** Opens the content of an instruction. Throws `damaged`. */
export function openInstruction({ keyring }: { keyring: Keyring }, row: InstructionRow): InstructionContent {
  return JSON.parse(keyring.openValue(row.content, row.id, 'instruction'))
}
