import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { startListener } from '../../listener.ts'
import { openBriefVault, openVault } from '../../vault.ts'
import {
  createApplePayload,
  createGooglePayload,
  googleFiles,
  maskedWalletCard,
  merchantFiles,
  processorFiles,
  walletCard,
} from '../../wallets.ts'
import { awaitRejection } from './start.ts'

const listPermissions = (wallet: 'apple' | 'google') =>
  ['create', 'read', 'reveal', 'delete', 'manage'].map((name) => `${wallet}-pay:${name}`)

async function startWalletClient() {
  const { vault, url } = await startListener({ vault: openBriefVault() })
  const createClient = async (granted: string[], type: 'private' | 'public' = 'private') => {
    const { key } = await vault.application({ type, permissions: granted })
    return new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  }
  const client = await createClient([
    ...listPermissions('apple'),
    ...listPermissions('google'),
    'apple-pay:session',
  ])
  const { google_payment_data } = await createGooglePayload(vault)
  return { vault, client, createClient, googlePaymentData: google_payment_data }
}

test('Z-02 node-sdk 5: a payment of Apple Pay goes through its life', async () => {
  const { vault, client, createClient } = await startWalletClient()
  const { apple_payment_data: applePaymentData } = await createApplePayload(vault)
  const shop = await createClient(['apple-pay:create'], 'public')
  const { applePay } = await shop.applePay.create({ applePaymentData })
  const id = applePay?.id ?? ''
  expect(applePay).toMatchObject({
    type: 'dpan',
    tenantId: vault.engine.tenant_id,
    status: 'active',
    expiresAt: new Date('2034-01-01'),
    createdAt: new Date('2030-01-01'),
    createdBy: expect.any(String),
    transactionId: expect.any(String),
    paymentDataType: '3DSecure',
    deviceManufacturerIdentifier: '040010030273',
    fingerprint: expect.any(String),
    card: { last4: '0075', expirationMonth: 12, expirationYear: 2033 },
  })
  expect(await client.applePay.get(id)).toMatchObject({
    data: { number: walletCard, expiration_month: 12, expiration_year: 2033 },
    authentication: { threedsCryptogram: expect.any(String), eciIndicator: '7' },
  })
  const reader = await createClient(['apple-pay:read'])
  expect(await reader.applePay.get(id)).toMatchObject({ data: { number: maskedWalletCard } })
  expect(await awaitRejection(shop.applePay.get(id))).toBeInstanceOf(BasisTheory.ForbiddenError)
  expect(JSON.parse(await client.applePay.delete(id))).toMatchObject({
    apple_pay: { id, type: 'dpan', status: 'deleted' },
  })
  expect(await awaitRejection(client.applePay.delete(id))).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('Z-02 node-sdk 5: a payment of Google Pay goes through its life', async () => {
  const { vault, client, googlePaymentData } = await startWalletClient()
  const { googlePay } = await client.googlePay.create({ googlePaymentData })
  const id = googlePay?.id ?? ''
  const details = {
    tsp: 'Google',
    authMethod: 'CRYPTOGRAM_3DS',
    messageId: expect.any(String),
    eciIndicator: '7',
    assuranceDetails: { accountVerified: true, cardHolderAuthenticated: true },
  }
  expect(googlePay).toMatchObject({ status: 'active', details, card: { last4: '0075' } })
  expect(await client.googlePay.get(id)).toMatchObject({
    data: { number: walletCard },
    authentication: { threedsCryptogram: expect.any(String) },
  })
  expect(JSON.parse(await client.googlePay.delete(id))).toMatchObject({ id, status: 'deleted' })
  expect(await awaitRejection(client.googlePay.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)

  const cardOnly = await createGooglePayload(vault, { variant: 'pan_only' })
  const { tokenIntent } = await client.googlePay.create({ googlePaymentData: cardOnly.google_payment_data })
  expect(tokenIntent).toMatchObject({
    type: 'card',
    card: { last4: '0075' },
    extras: { tspDetails: { tsp: 'Google', authMethod: 'PAN_ONLY' } },
  })
})

test('Z-02 node-sdk 5: payment data that no key decrypts is unprocessable', async () => {
  const { client } = await startWalletClient()
  const googlePaymentData = {
    protocolVersion: 'ECv2',
    signature: 'MEUCIQ==',
    intermediateSigningKey: { signedKey: '{}', signatures: ['MEUCIQ=='] },
    signedMessage: '{"encryptedMessage":"x","ephemeralPublicKey":"x","tag":"x"}',
  }
  const createRefusal = (name: string) => ({
    body: {
      title: `Unprocessable ${name} Token`,
      detail: `Failed to process the ${name} token; the token payload is invalid or malformed.`,
    },
  })
  const google = await awaitRejection(client.googlePay.create({ googlePaymentData }))
  expect(google).toBeInstanceOf(BasisTheory.UnprocessableEntityError)
  expect(google).toMatchObject(createRefusal('Google Pay'))
  const apple = await awaitRejection(
    client.applePay.create({ applePaymentData: { paymentData: { data: 'x' }, transactionIdentifier: 'x' } }),
  )
  expect(apple).toBeInstanceOf(BasisTheory.UnprocessableEntityError)
  expect(apple).toMatchObject(createRefusal('Apple Pay'))
  expect(await awaitRejection(client.googlePay.create({}))).toBeInstanceOf(BasisTheory.BadRequestError)
  expect(await awaitRejection(client.applePay.create({}))).toBeInstanceOf(BasisTheory.BadRequestError)
})

test('Z-02 node-sdk 5: merchants, certificates, domains and sessions are managed', async () => {
  const { client, createClient, vault } = await startWalletClient()
  const { applePay, googlePay } = client
  const merchant = await applePay.merchant.create({ merchantIdentifier: 'merchant.com.example.shop' })
  expect(merchant).toMatchObject({ tenantId: vault.engine.tenant_id, createdAt: expect.any(Date) })
  const id = merchant.id ?? ''
  expect(await applePay.merchant.get(id)).toEqual(merchant)
  const certificates = await applePay.merchant.certificates.create(id, {
    paymentProcessorCertificateData: processorFiles.payment_processor_certificate_data,
    paymentProcessorCertificatePassword: processorFiles.payment_processor_certificate_password,
    merchantCertificateData: merchantFiles.merchant_certificate_data,
    merchantCertificatePassword: merchantFiles.merchant_certificate_password,
    domain: 'shop.example.com',
  })
  expect(certificates).toMatchObject({
    domain: 'shop.example.com',
    paymentProcessorCertificateFingerprint:
      '1a7c39c36baacb578f744d47d51750c2092cc784735521ae08be9958439d4044',
    paymentProcessorCertificateExpirationDate: new Date('2126-11-04T11:33:25Z'),
    merchantCertificateFingerprint: 'a5595261a019a2b9dce4a71ef8dfd50df2a802a6e1cd698e27801f435080605d',
  })
  const certificate_id = certificates.id ?? ''
  expect(await applePay.merchant.certificates.get(id, certificate_id)).toEqual(certificates)
  await applePay.merchant.certificates.delete(id, certificate_id)
  expect(await awaitRejection(applePay.merchant.certificates.get(id, certificate_id))).toBeInstanceOf(
    BasisTheory.NotFoundError,
  )
  const google = await googlePay.merchant.create({ merchantIdentifier: 'BCR2DN6T' })
  const google_id = google.id ?? ''
  const googleCertificate = await googlePay.merchant.certificates.create(google_id, {
    merchantCertificateData: googleFiles.merchant_certificate_data,
    merchantCertificatePassword: googleFiles.merchant_certificate_password,
  })
  expect(await googlePay.merchant.certificates.get(google_id, googleCertificate.id ?? '')).toEqual(
    googleCertificate,
  )
  await googlePay.merchant.certificates.delete(google_id, googleCertificate.id ?? '')
  expect(await awaitRejection(googlePay.merchant.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)
  expect(await googlePay.merchant.get(google_id)).toEqual(google)
  await googlePay.merchant.delete(google_id)
  await applePay.merchant.delete(id)
  expect(await awaitRejection(applePay.merchant.get(id))).toBeInstanceOf(BasisTheory.NotFoundError)

  const registered = { domains: [{ domain: 'shop.example.com', status: 'verified' }] }
  expect(await applePay.domain.register({ domain: 'shop.example.com' })).toEqual(registered)
  expect(await applePay.domain.registerAll({ domains: ['shop.example.com'] })).toEqual(registered)
  expect(await applePay.domain.get()).toEqual(registered)
  const page = await createClient(['apple-pay:session'], 'public')
  const session = await page.applePay.session.create({ domain: 'shop.example.com', displayName: 'Shop' })
  expect(JSON.parse(session)).toMatchObject({
    domainName: 'shop.example.com',
    displayName: 'Shop',
  })
  await applePay.domain.deregister({ domain: 'shop.example.com' })
  expect(await awaitRejection(page.applePay.session.create({ domain: 'shop.example.com' }))).toBeInstanceOf(
    BasisTheory.UnprocessableEntityError,
  )
})

test('Z-02 G-05 F-03 a proxy and a reactor get payments with the rights of the guides', async () => {
  const vault = openVault({ ephemeral: true })
  const { request } = await startListener({ vault })
  const apple = (await vault.owner.applePay.create(await createApplePayload(vault))).apple_pay.id
  const google = (await vault.owner.googlePay.create(await createGooglePayload(vault))).google_pay?.id
  const body = {
    number: `{{ apple_pay: ${apple} | json: '$.data.number' }}`,
    year: `{{ apple_pay: ${apple} | json: '$.data' | card_exp: 'YYYY' }}`,
    cryptogram: `{{ google_pay: ${google} | json: '$.data.authentication.threeds_cryptogram' }}`,
    same: `{{ google_pay: ${google} | json: '$.authentication.threeds_cryptogram' }}`,
  }
  for (const permission of ['proxy:invoke', 'token:use']) {
    const { key } = await vault.application({ permissions: [permission] })
    const headers = { 'BT-PROXY-URL': 'https://echo.basistheory.com/anything' }
    const { json } = (await request('POST', '/proxy', { key, headers, body })).body
    expect(json).toMatchObject({ number: walletCard, year: '2033' })
    expect(json.cryptogram).toMatch(/^.{28}$/)
    expect(json.same).toBe(json.cryptogram)
  }
  const { key } = await vault.application({ permissions: ['token:create'] })
  const headers = { 'BT-PROXY-URL': 'https://echo.basistheory.com/anything' }
  expect((await request('POST', '/proxy', { key, headers, body })).status).toBe(403)

  const { id } = await vault.owner.reactors.create({ name: 'Echo', code: 'module.exports = () => ({})' })
  const reactor = (await vault.application({ permissions: ['reactor:invoke'] })).client
  const prepared = await reactor.reactors.react({ id, payload: { args: body } })
  expect(JSON.parse(prepared.args)).toMatchObject({ number: walletCard })
})
