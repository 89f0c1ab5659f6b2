import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { directCard } from '../../agentic.ts'
import { deviceContext } from './methods/scenarios.ts'
import { awaitRejection, collectAll, startClientServer } from './start.ts'

async function startAgenticClient() {
  const { vault, url } = await startClientServer()
  const crud = ['create', 'get', 'update', 'delete']
  const permissions = [
    ...['token:create', 'enrollment:verify', 'agent:instruction:verify', 'agent:instruction:credentials'],
    ...crud.flatMap((verb) => [`agent:${verb}`, `agent:instruction:${verb}`]),
    ...['create', 'get', 'delete'].map((verb) => `enrollment:${verb}`),
  ]
  const { key } = await vault.application({ permissions })
  const client = new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  const { agents, enrollments } = client.agentic
  async function enrollCard(number: string, more: { agentIds?: string[] } = {}) {
    const data = { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }
    const { id: tokenId = '' } = await client.tokens.create({ type: 'card', data })
    return enrollments.create({ tokenId, consumer: { email: 'ada@example.com' }, ...more })
  }
  return { vault, url, agents, enrollments, enrollCard }
}

/** What the integration tests of the hosted service's own clients expect. */
test('Z-03 node-sdk 5: an agent is created, read, renamed and deleted', async () => {
  const { agents } = await startAgenticClient()
  const created = await agents.create({ name: 'Travel' })
  expect(created).toMatchObject({ name: 'Travel', status: 'active', enrollmentIds: [] })
  expect(created.createdAt).toEqual(new Date('2030-01-01'))
  const id = created.id ?? ''
  expect(await agents.get(id)).toEqual(created)
  expect(await agents.update(id, { name: 'Hotels' })).toEqual({ ...created, name: 'Hotels' })
  await agents.delete(id)
  expect(await awaitRejection(agents.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('Z-03 node-sdk 5: an enrollment of a bypass card is approved at once', async () => {
  const { enrollments, enrollCard } = await startAgenticClient()
  const { id = '' } = await enrollCard(directCard)
  expect(await enrollments.verify.start(id, { deviceContext })).toMatchObject({ status: 'approved' })
  const active = await enrollments.get(id)
  expect(active).toMatchObject({ status: 'active', provider: 'visa-mock', walletName: 'Agent Wallet' })
  expect(active.card).toMatchObject({
    brand: 'visa',
    bin: '40000566',
    last4: '5556',
    expirationMonth: 12,
    expirationYear: 2030,
  })
  expect(await enrollments.get(id)).toEqual(active)
  await enrollCard(directCard)
  const all = await collectAll(await enrollments.list({ limit: 1 }))
  expect(all).toHaveLength(2)
  expect(all[1]).toEqual(active)
  await enrollments.delete(id)
  expect(await enrollments.get(id)).toMatchObject({ status: 'deleted', card: { last4: '5556' } })
  expect(await collectAll(await enrollments.list())).toHaveLength(1)
})

test('Z-03 node-sdk 5: an enrollment is verified by a code', async () => {
  const { enrollments, enrollCard } = await startAgenticClient()
  const created = await enrollCard('4000000000000002')
  expect(created).toMatchObject({ status: 'pending_verification', card: { last4: '0002' } })
  const id = created.id ?? ''
  const { verify } = enrollments
  const { status, methods = [] } = await verify.start(id, { deviceContext })
  expect([status, methods]).toEqual([
    'challenge',
    [{ id: 'email', type: 'EMAIL', value: 'a***@example.com' }],
  ])
  const running = await awaitRejection(verify.start(id, { deviceContext }))
  expect(running).toBeInstanceOf(BasisTheory.ConflictError)
  expect((await verify.method(id, { methodId: 'email' })).status).toBe('otp_sent')
  const bound = await verify.otp(id, { otpCode: '123456' })
  expect([bound.status, bound.passkeyContext?.action]).toEqual(['device_bound', 'REGISTER'])
  expect((await verify.complete(id)).status).toBe('verified')
  expect(await enrollments.get(id)).toEqual({ ...created, status: 'active' })
  const again = awaitRejection(verify.start(id, { deviceContext }))
  expect(await again).toMatchObject({ statusCode: 400, body: { type: 'VERIFICATION_NOT_REQUIRED' } })
})

test('Z-03 node-sdk 5: an instruction is verified, and gives credentials', async () => {
  const { agents, enrollments, enrollCard } = await startAgenticClient()
  const { id: agentId = '' } = await agents.create({ name: 'Travel' })
  const { id: enrollmentId = '' } = await enrollCard(directCard, { agentIds: [agentId] })
  await enrollments.verify.start(enrollmentId, { deviceContext })
  const { instructions } = agents
  const created = await instructions.create(agentId, {
    enrollmentId,
    amount: { value: '25.00', currency: 'USD' },
    description: 'A train ticket',
    expiresAt: new Date('2030-01-08'),
  })
  expect(created).toMatchObject({
    enrollmentId,
    status: 'pending_verification',
    amount: { value: '25.00', currency: 'USD' },
    expiresAt: new Date('2030-01-08'),
  })
  const id = created.id ?? ''
  expect(await instructions.get(agentId, id)).toEqual(created)
  const amount = { value: '50.00', currency: 'USD' }
  expect(await instructions.update(agentId, id, { amount })).toEqual({ ...created, amount })
  expect(await collectAll(await instructions.list(agentId))).toEqual([{ ...created, amount }])
  const merchant = { name: 'Railway', url: 'https://railway.example.com', countryCode: 'US' }
  const early = awaitRejection(instructions.credentials.create(agentId, id, { merchant }))
  expect(await early).toMatchObject({
    statusCode: 400,
    body: { type: 'INSTRUCTION_PENDING_VERIFICATION', status: 400 },
  })
  expect(await instructions.verify.start(agentId, id, { deviceContext })).toMatchObject({
    status: 'verified',
  })
  expect(await instructions.get(agentId, id)).toMatchObject({ status: 'approved' })
  expect(await instructions.credentials.create(agentId, id, { merchant })).toEqual({
    card: { number: '4000001000005556', expirationMonth: 12, expirationYear: 2033, cvc: '123' },
    expiresAt: new Date('2030-01-08'),
  })
  await instructions.delete(agentId, id)
  expect(await instructions.get(agentId, id)).toMatchObject({ status: 'cancelled' })
  await enrollments.delete(enrollmentId)
  await agents.delete(agentId)
})

test('Z-03 node-sdk 5: instructions are listed by enrollment', async () => {
  const { agents, enrollCard } = await startAgenticClient()
  const { id: agentId = '' } = await agents.create({ name: 'Travel' })
  const ids: string[] = []
  for (const _ of 'abc') {
    const { id: enrollmentId = '' } = await enrollCard('4242424242424242', { agentIds: [agentId] })
    const order = { amount: { value: '10.00' }, description: 'a', expiresAt: new Date('2030-01-08') }
    for (const _ of 'ab') await agents.instructions.create(agentId, { enrollmentId, ...order })
    ids.push(enrollmentId)
  }
  const [, enrollmentId = ''] = ids
  const listed = await collectAll(await agents.instructions.list(agentId, { enrollmentId, limit: 1 }))
  expect(listed.map((each) => each.enrollmentId)).toEqual([enrollmentId, enrollmentId])
  const foreign = agents.instructions.list(agentId, { cursor: 'of another list' })
  expect(await awaitRejection(foreign)).toMatchObject({
    statusCode: 400,
    body: { errors: { cursor: ['is not a cursor of this list; pass pagination.next_cursor'] } },
  })
  expect((await agents.get(agentId)).enrollmentIds).toEqual(ids)
})

test('Z-03 a card of Mastercard is confirmed on a page of the listener', async () => {
  const { url, enrollments, enrollCard } = await startAgenticClient()
  const { id = '' } = await enrollCard('5555555555554444')
  const completeEnrollment = () => enrollments.verify.complete(id, { srcCorrelationId: 'a' })
  const openPage = async () => {
    const { status, redirect } = await enrollments.verify.start(id, { deviceContext })
    expect([status, redirect?.uriType]).toEqual(['redirect_required', 'WEB_URI'])
    expect(redirect?.uri).toContain(`${url}/agentic/pages/`)
    return redirect?.uri ?? ''
  }
  const sendAnswer = (uri: string, choice: string, headers: Record<string, string> = {}) =>
    fetch(uri, { method: 'POST', body: new URLSearchParams({ choice }), headers })
  const page = await openPage()
  const html = await (await fetch(page)).text()
  expect(html).toContain('<dt>Card</dt><dd>mastercard</dd>')
  expect(html).not.toContain('4444')
  expect(await awaitRejection(completeEnrollment())).toMatchObject({ body: { type: 'ENROLLMENT_PENDING' } })
  // SECURITY: another page cannot answer.
  expect((await sendAnswer(page, 'approve', { Origin: 'https://other.example.com' })).status).toBe(403)
  expect(await (await sendAnswer(page, 'cancel')).text()).toContain('The card is not confirmed.')
  expect(await awaitRejection(completeEnrollment())).toMatchObject({
    body: { type: 'VERIFICATION_STATE_INVALID' },
  })
  expect((await fetch(page)).status).toBe(404)
  const second = await openPage()
  expect((await sendAnswer(second, 'other')).status).toBe(400)
  for (const type of ['text/plain', 'application/json'])
    expect((await sendAnswer(second, 'approve', { 'Content-Type': type })).status).toBe(415)
  // A double click sends the answer twice, and the browser shows the second response.
  for (const choice of ['approve', 'approve', 'cancel'])
    expect(await (await sendAnswer(second, choice)).text()).toContain('The card is confirmed.')
  expect(await (await fetch(second)).text()).toContain('The card is confirmed.')
  expect((await completeEnrollment()).status).toBe('verified')
  expect((await fetch(second)).status).toBe(404)
  expect(await enrollments.get(id)).toMatchObject({ status: 'active', provider: 'mastercard-mock' })
})

test('A-12 a repeated start of a verification that is over is a conflict', async () => {
  const { url, enrollments, enrollCard } = await startAgenticClient()
  const idempotent = { headers: { 'BT-IDEMPOTENCY-KEY': 'once' } }
  const startOnce = (id: string) => enrollments.verify.start(id, { deviceContext }, idempotent)
  const { id = '' } = await enrollCard('5555555555554444')
  const first = await startOnce(id)
  expect(await startOnce(id)).toEqual(first)
  await fetch(first.redirect?.uri ?? url, {
    method: 'POST',
    body: new URLSearchParams({ choice: 'approve' }),
  })
  expect(await awaitRejection(startOnce(id))).toBeInstanceOf(BasisTheory.ConflictError)
  const { id: deleted = '' } = await enrollCard('4000000000000002')
  await startOnce(deleted)
  await enrollments.delete(deleted)
  expect(await awaitRejection(startOnce(deleted))).toBeInstanceOf(BasisTheory.ConflictError)
})

test('Z-03 cards that cannot be enrolled give the documented errors', async () => {
  const { enrollments, enrollCard } = await startAgenticClient()
  const problems = []
  for (const number of ['4330251207506660', '378282246310005']) {
    const { statusCode, body } = (await awaitRejection(enrollCard(number))) as BasisTheory.BadRequestError
    problems.push([statusCode, body])
  }
  expect(problems).toMatchObject([
    [422, { type: 'CARD_REJECTED', status: 422 }],
    [400, { type: 'UNSUPPORTED_PROVIDER', title: 'Card brand not supported', status: 400 }],
  ])
  const invalid = enrollments.create({ tokenId: 'unknown', consumer: { email: 'no address' } })
  expect(await awaitRejection(invalid)).toMatchObject({
    statusCode: 400,
    body: {
      type: 'VALIDATION_ERROR',
      title: 'Request validation failed',
      errors: { 'consumer.email': ['must be an email address'] },
    },
  })
  for (const number of ['4000000000003063', '4000000000003071']) {
    const failed = await awaitRejection(enrollCard(number))
    expect(failed).toMatchObject({ statusCode: 422, body: { type: 'PROVIDER_ENROLLMENT_FAILED' } })
  }
  const [fails, failsOnce] = await collectAll(await enrollments.list())
  expect(fails).toMatchObject({ status: 'failed', card: { last4: '3071' } })
  expect(await enrollments.retry(failsOnce?.id ?? '')).toMatchObject({ status: 'pending_verification' })
  expect(await awaitRejection(enrollments.retry(fails?.id ?? ''))).toMatchObject({ statusCode: 422 })
})
