import { device_context } from '../shared/example-payment.ts'

import type { openBriefVault } from './vault.ts'

export { device_context }

type AgentVault = Pick<ReturnType<typeof openBriefVault>, 'owner'>

export const consumer = { email: 'ada@example.com' }
/** A card that needs a code, and one whose verification completes without. */
export const visaCard = '4000020000000000'
export const directCard = '4000056655665556'

/** Stores a card, and returns the id of its token. */
export async function createCard({ owner }: AgentVault, number: string): Promise<string> {
  const data = { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }
  return (await owner.tokens.create({ type: 'card', data })).id
}

/** The steps of a verification with a code, in order. */
const steps = ['start', 'method', 'otp', 'complete'] as const
type StepName = (typeof steps)[number]

/** Takes one step of the verification of an enrollment. */
export function takeStep({ owner }: AgentVault, id: string, step: StepName) {
  const { enrollments } = owner
  if (step === 'start') return enrollments.startVerification({ id, device_context })
  if (step === 'method') return enrollments.selectMethod({ id, method_id: 'email' })
  if (step === 'otp') return enrollments.submitOtp({ id, otp_code: '123456' })
  return enrollments.completeVerification({ id })
}

/** Enrolls a new card, and verifies it up to a step. */
export async function createEnrollment(vault: AgentVault, number: string, until?: StepName) {
  const token_id = await createCard(vault, number)
  const created = await vault.owner.enrollments.create({ token_id, consumer })
  const taken = until === undefined ? [] : steps.slice(0, steps.indexOf(until) + 1)
  for (const step of taken) await takeStep(vault, created.id, step)
  return created
}

/** Creates an agent with an instruction for a new card, which is active first. */
export async function createInstruction(vault: AgentVault, number: string, name = 'Made') {
  const { owner } = vault
  const { id: enrollment_id } = await createEnrollment(
    vault,
    number,
    number === directCard ? 'start' : 'complete',
  )
  const { id: agent_id } = await owner.agents.create({ name, enrollment_ids: [enrollment_id] })
  const { id } = await owner.instructions.create({
    agent_id,
    enrollment_id,
    amount: { value: '25.00', currency: 'USD' },
    description: 'A train ticket',
    expires_at: '2035-01-01T00:00:00Z',
  })
  return { agent_id, id, enrollment_id }
}

export async function createApprovedInstruction(vault: AgentVault) {
  const { agent_id, id } = await createInstruction(vault, directCard)
  await vault.owner.instructions.startVerification({ agent_id, id, device_context })
  return { agent_id, id }
}
