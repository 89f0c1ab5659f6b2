import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrations } from '../../electron/engine/db/migrations.ts'
import {
  consumer,
  createApprovedInstruction,
  createCard,
  createEnrollment,
  createInstruction,
  device_context,
  directCard,
  takeStep,
  visaCard,
} from '../agentic.ts'
import { getRunCount } from '../thorough.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

const merchant = { name: 'Railway', url: 'https://railway.example.com', country_code: 'DE' }
const amount = { value: '25.00', currency: 'USD' }
const MINUTE_MS = 60_000

/** Returns the type and the status of the problem that a call rejects with. */
async function catchType(call: Promise<unknown>) {
  const { type, code } = await catchProblem(call)
  // An error without a name of its own is named by its code.
  return type === undefined || type === 'VALIDATION_ERROR' ? code : type
}

/** What a call is answered: a status, or the type of its error. */
async function nameAnswer(call: Promise<{ status: string }>) {
  return call.then(
    ({ status }) => status,
    () => catchType(call),
  )
}

test('Z-03 a vault of the previous format gets the tables of agentic payments', async () => {
  const vault = openVault()
  const { version = 0 } = migrations.find(({ name }) => name === 'agentic payments') ?? {}
  vault.engine.close()
  undoMigrations(vault, version - 1)
  vault.reopen()
  expect((await vault.owner.agents.getOverview()).agents).toEqual([])
})

test('Z-03 an enrollment that the network refuses later stays, and can be retried', async () => {
  const vault = openVault()
  const { enrollments } = vault.owner
  // Together, so that one transaction has several of them.
  const numbers = ['4000000000003063', '4000000000003071', '4929544240318920']
  const types = await Promise.all(numbers.map((number) => catchType(createEnrollment(vault, number))))
  expect(types).toEqual(['PROVIDER_ENROLLMENT_FAILED', 'PROVIDER_ENROLLMENT_FAILED', 'CARD_REJECTED'])
  vault.reopen()
  const { data } = await enrollments.list({})
  expect(data.map(({ status, card }) => [status, card.last4])).toEqual([
    ['failed', '3071'],
    ['failed', '3063'],
  ])
  const [fails, failsOnce] = data.map(({ id }) => ({ id }))
  expect(await catchType(enrollments.retry(fails ?? { id: '' }))).toBe('PROVIDER_ENROLLMENT_FAILED')
  expect((await enrollments.retry(failsOnce ?? { id: '' })).status).toBe('pending_verification')
  expect(await catchType(enrollments.retry(failsOnce ?? { id: '' }))).toBe('VERIFICATION_STATE_INVALID')
})

test('Z-03 codes are refused by card and by time', async () => {
  const vault = openBriefVault()
  const wrong = await createEnrollment(vault, '4929980395567582', 'method')
  expect(await catchType(takeStep(vault, wrong.id, 'otp'))).toBe('INVALID_OTP')
  const tooMany = await createEnrollment(vault, '4916725297925395', 'method')
  expect(await catchType(takeStep(vault, tooMany.id, 'otp'))).toBe('MAX_ATTEMPTS_EXCEEDED')
  expect((await takeStep(vault, tooMany.id, 'start')).status).toBe('challenge')
  const slow = await createEnrollment(vault, visaCard, 'method')
  vault.clock.advance(15 * MINUTE_MS)
  expect(await catchType(takeStep(vault, slow.id, 'otp'))).toBe('OTP_EXPIRED')
  expect((await takeStep(vault, slow.id, 'start')).status).toBe('challenge')
  const other = vault.owner.enrollments.selectMethod({ id: slow.id, method_id: 'sms' })
  expect((await catchProblem(other)).errors).toEqual({
    method_id: ['must be the id of a method of the start'],
  })
})

test('X-27 a verification from before the clock was set back can start again', async () => {
  const vault = openBriefVault()
  vault.clock.advance(60 * MINUTE_MS)
  const coded = await createEnrollment(vault, visaCard, 'method')
  const { id } = await createEnrollment(vault, '5555555555554444')
  const { redirect } = await takeStep(vault, id, 'start')
  const key = redirect?.uri.split('/').at(-1) ?? ''
  const page = vault.engine.as({ kind: 'cardholder' }).enrollments
  expect((await page.showRedirect({ key })).state).toBe('waiting')
  vault.clock.advance(-60 * MINUTE_MS)
  expect((await catchProblem(page.showRedirect({ key }))).detail).toBe(
    'This page is closed. It stays open for 15 minutes, or until the cardholder answers. If the card is not confirmed yet, start its verification again.',
  )
  expect(await catchType(takeStep(vault, coded.id, 'otp'))).toBe('OTP_EXPIRED')
  expect((await takeStep(vault, coded.id, 'start')).status).toBe('challenge')
  expect((await takeStep(vault, id, 'start')).status).toBe('redirect_required')
})

test('Z-03 a step out of order is told the next step', async () => {
  const vault = openBriefVault()
  const { enrollments, instructions } = vault.owner
  const { id } = await createEnrollment(vault, visaCard)
  const readDetail = async (call: Promise<unknown>) => (await catchProblem(call)).detail
  const details = []
  for (const step of ['start', 'method', 'otp', 'complete'] as const) {
    details.push(await readDetail(enrollments.retry({ id })))
    await takeStep(vault, id, step)
  }
  details.push(await readDetail(takeStep(vault, id, 'otp')))
  await enrollments.remove({ id })
  details.push(await readDetail(takeStep(vault, id, 'start')))
  const describeNext = (step: string) => `This call is out of order. The next step is to ${step}.`
  expect(details).toEqual([
    describeNext('start the verification'),
    describeNext('choose a method'),
    describeNext('submit the code'),
    describeNext('complete the verification'),
    'The enrollment is already active.',
    'The enrollment is deleted. Create another enrollment.',
  ])
  const { enrollment_id: _, ...pending } = await createInstruction(vault, visaCard)
  const submitPasskey = () => instructions.submitPasskey({ ...pending, assurance_data: {} })
  expect(await readDetail(submitPasskey())).toBe(describeNext('start the verification'))
  await instructions.startVerification({ ...pending, device_context })
  await submitPasskey()
  expect(await readDetail(submitPasskey())).toBe('The instruction is already approved.')
})

test('Z-03 only a card that the caller may enroll is enrolled', async () => {
  const vault = openBriefVault()
  const token_id = await createCard(vault, visaCard)
  const text = await vault.owner.tokens.create({ type: 'token', data: visaCard })
  const { client } = await vault.application({
    rules: [{ priority: 1, container: '/elsewhere/', transform: 'mask', permissions: ['enrollment:create'] }],
  })
  for (const call of [
    client.enrollments.create({ token_id, consumer }),
    vault.owner.enrollments.create({ token_id: text.id, consumer }),
    vault.owner.enrollments.create({ token_id: 'none', consumer }),
  ])
    expect(await catchType(call)).toBe('INVALID_TOKEN')
  const amex = createEnrollment(vault, '378282246310005')
  expect(await catchType(amex)).toBe('UNSUPPORTED_PROVIDER')
})

test('Z-03 autofill and spt need no verification; spt gives other credentials', async () => {
  const vault = openBriefVault()
  const { agents, enrollments, instructions } = vault.owner
  const { id: agent_id } = await agents.create({ name: 'Travel' })
  const token_id = await createCard(vault, visaCard)
  const enrollCard = async (type: 'autofill' | 'spt') =>
    enrollments.create({ token_id, consumer, type, ...(type === 'spt' && { provider: 'stripe' }) })
  const spt = await enrollCard('spt')
  expect([spt.status, spt.provider]).toEqual(['active', 'stripe-mock'])
  expect((await catchProblem(enrollments.create({ token_id, consumer, type: 'spt' }))).errors).toEqual({
    provider: ['must be stripe for the type spt'],
  })
  const answers = []
  const mpp = { challenge: { id: 'c', method: 'stripe' as const } }
  for (const [enrollment, more] of [
    [spt, {}],
    [spt, { mpp }],
    [await enrollCard('autofill'), {}],
  ] as const) {
    const { id, status } = await instructions.create({
      agent_id,
      enrollment_id: enrollment.id,
      amount,
      ...more,
    })
    expect(status).toBe('approved')
    const request = { agent_id, id, ...(enrollment !== spt && { merchant }) }
    answers.push(Object.keys(await instructions.getCredentials(request)))
  }
  expect(answers).toEqual([
    ['spt', 'expires_at'],
    ['mpp', 'expires_at'],
    ['card', 'expires_at'],
  ])
})

test('Z-03 an enrollment without verification is active once its retry succeeds', async () => {
  const vault = openBriefVault()
  const { enrollments } = vault.owner
  const token_id = await createCard(vault, '4000000000003063')
  const create = enrollments.create({ token_id, consumer, type: 'autofill' })
  expect(await catchType(create)).toBe('PROVIDER_ENROLLMENT_FAILED')
  const [{ id = '' } = {}] = (await enrollments.list({})).data
  expect((await enrollments.retry({ id })).status).toBe('active')
})

test('Z-03 an agent has at most 50 enrollments', async () => {
  const vault = openBriefVault()
  const { agents, enrollments } = vault.owner
  const token_id = await createCard(vault, directCard)
  const ids: string[] = []
  for (let at = 0; at < 51; at++) ids.push((await enrollments.create({ token_id, consumer })).id)
  expect(await catchType(agents.create({ name: 'A', enrollment_ids: ids }))).toBe('AGENT_ENROLLMENT_LIMIT')
  const { id } = await agents.create({ name: 'A', enrollment_ids: ids.slice(1) })
  const another = enrollments.create({ token_id, consumer, agent_id: id })
  expect(await catchType(another)).toBe('AGENT_ENROLLMENT_LIMIT')
  await enrollments.remove({ id: ids[1] ?? '' })
  const { id: added } = await enrollments.create({ token_id, consumer, agent_ids: [id] })
  expect((await agents.get({ id })).enrollment_ids).toEqual([...ids.slice(2), added])
  const both = enrollments.create({ token_id, consumer, agent_id: id, agent_ids: [id] })
  expect((await catchProblem(both)).errors).toEqual({ agent_ids: ['cannot be combined with agent_id'] })
  const overview = await agents.getOverview()
  expect(overview.agents).toMatchObject([{ id, enrollments: 50 }])
  // The window gets no ids, which would be some MB.
  expect(JSON.stringify(overview)).not.toContain('_ids":')
  const unknown = agents.update({ id, enrollment_ids: [added, 'enr_none'] })
  expect((await catchProblem(unknown)).errors).toEqual({
    'enrollment_ids[1]': ['must be the id of an enrollment'],
  })
  await agents.remove({ id })
  expect((await enrollments.get({ id: added })).agent_ids).toEqual([])
  const gone = enrollments.create({ token_id, consumer, agent_ids: [id] })
  expect((await catchProblem(gone)).errors).toEqual({ 'agent_ids[0]': ['must be the id of an agent'] })
})

test('Z-03 an instruction that ended gives the error of its end', async () => {
  const vault = openBriefVault()
  const { enrollments, instructions } = vault.owner
  const { enrollment_id, ...pending } = await createInstruction(vault, visaCard)
  const submitPasskey = () => instructions.submitPasskey({ ...pending, assurance_data: {} })
  expect(await catchType(submitPasskey())).toBe('VERIFICATION_STATE_INVALID')
  const started = await instructions.startVerification({ ...pending, device_context })
  expect([started.status, started.passkey_context?.action]).toEqual(['passkey_required', 'AUTHENTICATE'])
  expect((await submitPasskey()).status).toBe('approved')
  const missing = instructions.getCredentials(pending)
  expect((await catchProblem(missing)).errors).toEqual({
    merchant: ['is required, because the instruction has none'],
  })
  const confirmation = { transaction_type: 'purchase', transaction_status: 'approved' } as const
  const { client } = await vault.application({ permissions: ['agent:instruction:credentials'] })
  await client.instructions.confirm({ ...pending, confirmation_data: [confirmation] })
  const { data } = await vault.owner.logs.list({ action: 'instructions.confirm' })
  expect(data).toMatchObject([{ entity_id: pending.id, note: 'purchase approved' }])
  await enrollments.remove({ id: enrollment_id })
  expect((await instructions.get(pending)).status).toBe('cancelled')
  expect(await catchType(instructions.getCredentials({ ...pending, merchant }))).toBe('INSTRUCTION_CANCELLED')
  const approved = await createApprovedInstruction(vault)
  await instructions.update({ ...approved, expires_at: '2030-01-02' })
  vault.clock.advance(24 * 60 * MINUTE_MS)
  expect((await instructions.get(approved)).status).toBe('expired')
  expect(await catchType(instructions.update({ ...approved, amount }))).toBe('INSTRUCTION_EXPIRED')
  const refund = { transaction_type: 'refund', transaction_status: 'approved' } as const
  for (const paid of [approved, pending]) await instructions.confirm({ ...paid, confirmation_data: [refund] })
  const { id: waiting } = await createEnrollment(vault, visaCard)
  const early = instructions.create({ agent_id: approved.agent_id, enrollment_id: waiting, amount })
  expect(await catchType(early)).toBe('ENROLLMENT_PENDING')
})

const steps = ['start', 'method', 'otp', 'complete'] as const
/** The status after each step of a verification, which take place in this order. */
const statuses = ['challenge', 'otp_sent', 'device_bound', 'verified']

/** A model of one enrollment of a card that needs a code, and of its newest instruction. */
type AgenticModel = {
  step: number
  minutes: number
  isActive: boolean
  isDeleted: boolean
  paying: 'none' | 'ready' | 'started' | 'approved'
}

/** Returns what a step is answered according to the model, and changes the model. */
function predictStep(model: AgenticModel, index: number): string {
  if (model.isDeleted) return 'VERIFICATION_STATE_INVALID'
  if (model.isActive) return index === 0 ? 'VERIFICATION_NOT_REQUIRED' : 'VERIFICATION_STATE_INVALID'
  const isLate = model.step > 0 && model.minutes >= 15
  if (isLate && model.step === 2 && index > 0) return 'OTP_EXPIRED'
  const step = isLate ? 0 : model.step
  if (index === 0 && step > 0) return 'conflict'
  // The method can be chosen again.
  if (index !== step && !(index === 1 && step === 2)) return 'VERIFICATION_STATE_INVALID'
  Object.assign(model, { step: index + 1, minutes: 0, isActive: index + 1 === statuses.length })
  return statuses[index] ?? ''
}

/** Returns what a new instruction is answered according to the model, and changes the model. */
function predictInstruction(model: AgenticModel): string {
  if (model.isDeleted) return 'invalid'
  if (!model.isActive) return 'ENROLLMENT_PENDING'
  model.paying = 'ready'
  return 'pending_verification'
}

/** Returns what the verification of an instruction is answered according to the model, and changes the model. */
function predictPasskey(model: AgenticModel, call: 'verify' | 'passkey'): string {
  if (model.isDeleted) return 'INSTRUCTION_CANCELLED'
  if (model.paying === 'approved' || (call === 'passkey' && model.paying === 'ready'))
    return 'VERIFICATION_STATE_INVALID'
  model.paying = call === 'verify' ? 'started' : 'approved'
  return call === 'verify' ? 'passkey_required' : 'approved'
}

const calls = [...steps, ...steps, 'wait', 'reopen', 'remove', 'pay', 'verify', 'passkey'] as const
type RandomCall = (typeof calls)[number]

/** One enrollment with its instruction, as the vault and as the model have it. */
class RandomLife {
  readonly #vault: ReturnType<typeof openVault>
  readonly #ids: { readonly agent_id: string; readonly id: string }
  readonly #model: AgenticModel = { step: 0, minutes: 0, isActive: false, isDeleted: false, paying: 'none' }
  #instruction: string | null = null

  constructor(vault: ReturnType<typeof openVault>, ids: { readonly agent_id: string; readonly id: string }) {
    this.#vault = vault
    this.#ids = ids
  }

  async takeCall(call: RandomCall): Promise<void> {
    const { owner, clock } = this.#vault
    const { id } = this.#ids
    const model = this.#model
    if (call === 'reopen') return this.#vault.reopen()
    if (call === 'pay') return this.#createInstruction()
    if (call === 'verify' || call === 'passkey') return this.#approveInstruction(call)
    if (call === 'wait') {
      clock.advance(8 * MINUTE_MS)
      model.minutes += 8
    } else if (call === 'remove') {
      await owner.enrollments.remove({ id })
      model.isDeleted = true
    } else {
      const answered = await nameAnswer(takeStep(this.#vault, id, call))
      expect(answered).toBe(predictStep(model, steps.indexOf(call)))
    }
  }

  async #createInstruction(): Promise<void> {
    const { agent_id, id: enrollment_id } = this.#ids
    const created = this.#vault.owner.instructions.create({ agent_id, enrollment_id, amount })
    expect(await nameAnswer(created)).toBe(predictInstruction(this.#model))
    this.#instruction = await created.then(
      ({ id }) => id,
      () => this.#instruction,
    )
  }

  async #approveInstruction(call: 'verify' | 'passkey'): Promise<void> {
    if (this.#instruction === null) return
    const { instructions } = this.#vault.owner
    const ids = { agent_id: this.#ids.agent_id, id: this.#instruction }
    const answered = await nameAnswer(
      call === 'verify'
        ? instructions.startVerification({ ...ids, device_context })
        : instructions.submitPasskey({ ...ids, assurance_data: {} }),
    )
    expect(answered).toBe(predictPasskey(this.#model, call))
  }

  /** Expects that the vault shows what the model has. */
  async compareEnd(): Promise<void> {
    const { owner } = this.#vault
    const { isDeleted, isActive, paying } = this.#model
    const waiting = 'pending_verification'
    const { status } = await owner.enrollments.get({ id: this.#ids.id })
    expect(status).toBe(isDeleted ? 'deleted' : isActive ? 'active' : waiting)
    if (this.#instruction === null) return
    const ids = { agent_id: this.#ids.agent_id, id: this.#instruction }
    const { status: paid } = await owner.instructions.get(ids)
    expect(paid).toBe(isDeleted ? 'cancelled' : paying === 'approved' ? 'approved' : waiting)
  }
}

test('Z-03 random lives of enrollments and instructions agree with a model', {
  timeout: 120_000,
}, async () => {
  const vault = openVault()
  const { id: agent_id } = await vault.owner.agents.create({ name: 'Travel' })
  const life = fc.array(fc.constantFrom(...calls), { minLength: 5, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(life, async (taken) => {
      const { id } = await createEnrollment(vault, visaCard)
      const random = new RandomLife(vault, { agent_id, id })
      for (const call of taken) await random.takeCall(call)
      await random.compareEnd()
    }),
    getRunCount(500),
  )
})
