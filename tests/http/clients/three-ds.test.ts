import { BasisTheory as BasisTheoryJs } from '@basis-theory/basis-theory-js'
import { BasisTheoryClient } from '@basis-theory/node-sdk'
import { BasisTheoryClient as BasisTheoryClient2 } from 'basis-theory-node-sdk-2'
import { expect, test } from 'vitest'
import { awaitRejection, deviceInfo, passChallenge, payment, startClientServer } from './start.ts'

const permissions = ['3ds:session:create', '3ds:session:read', '3ds:session:authenticate', 'token:create']

async function startThreeDsServer(number: string) {
  const { vault, url, port } = await startClientServer()
  const { key } = await vault.application({ permissions })
  const data = { number, expiration_month: 12, expiration_year: 2035 }
  const { id } = await vault.owner.tokens.create({ type: 'card', data })
  return { url, port, key, tokenId: id }
}

test('S-01 node-sdk 5 and 2: a session is created, authenticated, challenged and read', async () => {
  const { url, key, tokenId } = await startThreeDsServer('4000020000000000')
  const clients = [
    new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 }),
    new BasisTheoryClient2({ apiKey: key, baseUrl: url }),
  ]
  for (const { threeds } of clients) {
    const created = await threeds.sessions.create({
      tokenId,
      device: 'browser',
      deviceInfo: { ...deviceInfo, browserTz: '-60' },
    })
    expect(created).toMatchObject({ cardBrand: 'Visa', type: 'customer', recommendedVersion: '2.2.0' })
    const id = created.id as string
    const requested = await threeds.sessions.authenticate(id, payment)
    expect(requested).toMatchObject({ authenticationStatus: 'challenge', sessionId: id, panTokenId: tokenId })
    await passChallenge(requested.acsChallengeUrl as string)
    const result = await threeds.sessions.getChallengeResult(id)
    expect(result).toMatchObject({ authenticationStatus: 'successful', eci: '05', liabilityShifted: true })
    const session = await threeds.sessions.get(id)
    expect(session).toMatchObject({ cardBrand: 'Visa', device: 'browser', authentication: result })
    expect(await awaitRejection(threeds.sessions.get('none'))).toMatchObject({ statusCode: 404 })
    expect(await awaitRejection(threeds.sessions.create({ tokenId }))).toMatchObject({ statusCode: 400 })
  }
})

test('S-01 node-sdk 5: a session has a redirect URL, and a failing directory server gives 424', {
  tags: 'thorough',
}, async () => {
  const { url, key, tokenId } = await startThreeDsServer('4264281500003339')
  const { threeds } = new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  const callbackUrls = { success: 'http://localhost:3000/good', failure: 'http://localhost:3000/bad' }
  const created = await threeds.sessions.create({
    tokenId,
    device: 'browser',
    authenticationRequest: payment,
    callbackUrls,
  })
  expect(created.redirectUrl).toBe(`${url}/3ds/redirect/${created.id}?apiKey=`)
  const { id = '' } = await threeds.sessions.create({ tokenId, type: 'merchant' })
  const request = { ...payment, authenticationType: 'other-payment', decoupledChallengeMaxTime: 5 }
  expect(await awaitRejection(threeds.sessions.authenticate(id, request))).toMatchObject({
    statusCode: 424,
    body: { error: { error: { session_id: id, error_source: 'Directory Server' } } },
  })
})

test('S-01 basis-theory-js: a session is created, authenticated, challenged and read', {
  tags: 'thorough',
}, async () => {
  const { port, key, tokenId } = await startThreeDsServer('4000020000000000')
  // This client uses https for every host but localhost.
  const apiBaseUrl = `http://localhost:${port}`
  const { threeds } = await new BasisTheoryJs().init(key, { apiBaseUrl, disableTelemetry: true })
  const created = await threeds.createSession({
    tokenId,
    type: 'customer',
    device: 'browser',
    deviceInfo: { ...deviceInfo, browserTimezone: '-60' },
  })
  expect(created).toMatchObject({ cardBrand: 'Visa' })
  const requested = await threeds.authenticateSession(created.id, payment)
  expect(requested.authenticationStatus).toBe('challenge')
  await passChallenge(requested.acsChallengeUrl)
  expect((await threeds.getChallengeResult(created.id)).authenticationStatus).toBe('successful')
  expect((await threeds.getSessionById(created.id)).authentication.eci).toBe('05')
})
