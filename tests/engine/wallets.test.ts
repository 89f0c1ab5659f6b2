import { createDecipheriv, createECDH, createHash, createHmac, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { DerivationBudget } from '../../electron/engine/resources/wallets/pkcs12/key-derivation.ts'
import { openPkcs12 } from '../../electron/engine/resources/wallets/pkcs12/open-pkcs12.ts'
import { getFuzzParameters } from '../fuzz.ts'
import { countRows } from '../rows.ts'
import { undoMigrations } from '../undo-migrations.ts'
import { openBriefVault, openVault, start } from '../vault.ts'
import {
  createApplePayload,
  createApplePayment,
  createGooglePayload,
  createGooglePayment,
  googleFiles,
  maskedWalletCard,
  merchantFiles,
  processorFiles,
  readPkcs12,
  walletCard,
} from '../wallets.ts'
import { openWithWebhook } from './webhooks/received-events.ts'

const data = { number: walletCard, expiration_month: 12, expiration_year: 2033 }
const authentication = { threeds_cryptogram: expect.stringMatching(/^.{28}$/), eci_indicator: '7' }
const SECOND_MS = 1000

test('Z-02 certificates of every common tool are opened, and show fingerprint and expiry but no key', async () => {
  const { owner } = openBriefVault()
  const apple = await owner.applePay.createMerchant({ merchant_identifier: 'merchant.com.example.shop' })
  const made = await owner.applePay.createCertificates({
    merchantId: apple.id,
    ...processorFiles,
    ...merchantFiles,
    domain: 'Shop.example.com',
  })
  expect(made).toEqual({
    id: expect.any(String),
    tenant_id: apple.tenant_id,
    domain: 'shop.example.com',
    payment_processor_certificate_fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
    payment_processor_certificate_expiration_date: expect.stringMatching(/^2126-/),
    merchant_certificate_fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
    merchant_certificate_expiration_date: expect.stringMatching(/^2126-/),
    created_at: expect.any(String),
  })
  for (const name of ['processor-legacy', 'java']) {
    const files = {
      payment_processor_certificate_data: readPkcs12(name),
      payment_processor_certificate_password: 'password',
    }
    await owner.applePay.createCertificates({ merchantId: apple.id, ...files })
  }
  const google = await owner.googlePay.createMerchant({ merchant_identifier: 'BCR2DN6T' })
  const ids = { merchantId: google.id }
  const { id } = await owner.googlePay.createCertificates({ ...ids, ...googleFiles })
  expect(await owner.googlePay.getCertificates({ ...ids, id })).toMatchObject({
    merchant_certificate_fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
  })
  await expect(owner.applePay.getCertificates({ merchantId: apple.id, id })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test.each([
  ['processor', 'password', 'does not open with payment_processor_certificate_password'],
  ['rsa', 'password', 'must have an EC key of the curve P-256'],
  ['p384', 'password', 'must have an EC key of the curve P-256'],
  ['expired', 'password', 'contains a certificate that has expired'],
  ['no-certificate', 'password', 'contains no certificate of its private key'],
  ['million-iterations', 'password', 'takes too long to open'],
])('Z-02 X-65 the file %s with the password %s is refused: it %s', async (name, password, problem) => {
  const { owner } = openBriefVault()
  const { id: merchantId } = await owner.applePay.createMerchant({ merchant_identifier: 'm' })
  const files = {
    payment_processor_certificate_data: readPkcs12(name),
    payment_processor_certificate_password: password,
  }
  await expect(owner.applePay.createCertificates({ merchantId, ...files })).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining(problem),
  })
})

test('Z-02 X-65 a changed PKCS#12 file is refused quickly, whatever was changed', async () => {
  const { owner } = openBriefVault()
  const { id: merchantId } = await owner.googlePay.createMerchant({ merchant_identifier: 'm' })
  const file = Buffer.from(readPkcs12('processor-legacy'), 'base64')
  const change = fc.record({
    at: fc.nat(file.length - 1),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(change, async ({ at, bytes }) => {
      const changed = Buffer.from(file)
      changed.set(bytes.subarray(0, file.length - at), at)
      fc.pre(!changed.equals(file))
      const before = process.cpuUsage()
      const files = {
        merchant_certificate_data: changed.toString('base64'),
        merchant_certificate_password: 'password',
      }
      await owner.googlePay.createCertificates({ merchantId, ...files }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'unprocessable' })
      })
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(100)
    }),
    getFuzzParameters(1000, 40),
  )
})

test('Z-02 payment data is encrypted as Apple and Google document it', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const merchantIdentifier = 'merchant.com.example.shop'
  const { privateKeys } = openPkcs12(
    Buffer.from(readPkcs12('processor'), 'base64'),
    'pässword',
    new DerivationBudget(16_000),
  )
  const jwk = privateKeys[0]?.export({ format: 'jwk' })
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(jwk?.d ?? '', 'base64url')

  const { id: apple } = await owner.applePay.createMerchant({ merchant_identifier: merchantIdentifier })
  await owner.applePay.createCertificates({ merchantId: apple, ...processorFiles })
  const { apple_payment_data } = await createApplePayload(vault, { merchant_registration_id: apple })
  const { data: encrypted = '', header, version } = apple_payment_data.paymentData
  const spki = Buffer.from(header?.ephemeralPublicKey ?? '', 'base64')
  const appleKey = createHash('sha256')
    .update(Buffer.from('00000001', 'hex'))
    .update(ecdh.computeSecret(spki.subarray(-65)))
    .update('\x0did-aes256-GCM')
    .update('Apple')
    .update(createHash('sha256').update(merchantIdentifier).digest())
    .digest()
  const bytes = Buffer.from(encrypted, 'base64')
  const gcm = createDecipheriv('aes-256-gcm', appleKey, Buffer.alloc(16)).setAuthTag(bytes.subarray(-16))
  const decrypted = Buffer.concat([gcm.update(bytes.subarray(0, -16)), gcm.final()]).toString()
  expect([version, JSON.parse(decrypted)]).toMatchObject([
    'EC_v1',
    { applicationPrimaryAccountNumber: walletCard, applicationExpirationDate: '331231' },
  ])

  const { id: google } = await owner.googlePay.createMerchant({ merchant_identifier: 'g' })
  const files = {
    merchant_certificate_data: processorFiles.payment_processor_certificate_data,
    merchant_certificate_password: processorFiles.payment_processor_certificate_password,
  }
  await owner.googlePay.createCertificates({ merchantId: google, ...files })
  const { google_payment_data } = await createGooglePayload(vault, { merchant_registration_id: google })
  const message = JSON.parse(google_payment_data.signedMessage ?? '')
  const point = Buffer.from(message.ephemeralPublicKey, 'base64')
  const secret = Buffer.concat([point, ecdh.computeSecret(point)])
  const keys = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), 'Google', 64))
  const ciphertext = Buffer.from(message.encryptedMessage, 'base64')
  expect(createHmac('sha256', keys.subarray(32)).update(ciphertext).digest('base64')).toBe(message.tag)
  const ctr = createDecipheriv('aes-256-ctr', keys.subarray(0, 32), Buffer.alloc(16))
  expect(JSON.parse(ctr.update(ciphertext).toString())).toMatchObject({
    messageExpiration: String(start + 7 * 24 * 3600 * SECOND_MS),
    paymentMethod: 'CARD',
    paymentMethodDetails: { pan: walletCard, expirationYear: 2033, authMethod: 'CRYPTOGRAM_3DS' },
  })
})

test('Z-02 a payment of Apple Pay is stored sealed, masked for :read, clear for :reveal, and deleted', async () => {
  const vault = openBriefVault()
  const made = await createApplePayment(vault)
  expect(made).toMatchObject({
    type: 'dpan',
    status: 'active',
    payment_data_type: '3DSecure',
    device_manufacturer_identifier: '040010030273',
    transaction_id: expect.stringMatching(/^[\da-f]{64}$/),
    fingerprint: expect.any(String),
    card: { bin: '47840000', last4: '0075', expiration_month: 12, expiration_year: 2033 },
    expires_at: '2034-01-01T00:00:00.000+00:00',
  })
  expect(made).not.toHaveProperty('data')
  const revealing = (await vault.application({ permissions: ['apple-pay:reveal'] })).client
  expect(await revealing.applePay.get({ id: made.id })).toMatchObject({ ...made, data, authentication })
  const reading = (await vault.application({ permissions: ['apple-pay:read'] })).client
  const masked = await reading.applePay.get({ id: made.id })
  expect(masked).toMatchObject({ data: { ...data, number: maskedWalletCard } })
  expect(masked.authentication).toEqual({
    threeds_cryptogram: expect.stringMatching(/^X{24}.{4}$/),
    eci_indicator: '7',
  })
  expect(await vault.owner.applePay.get({ id: made.id })).toEqual(masked)
  const { apple_pay } = await vault.owner.applePay.remove({ id: made.id })
  expect(apple_pay).toEqual({
    id: made.id,
    tenant_id: made.tenant_id,
    type: 'dpan',
    status: 'deleted',
    expires_at: made.expires_at,
  })
  await expect(reading.applePay.get({ id: made.id })).rejects.toMatchObject({ code: 'not_found' })
})

test('Z-02 a merchant token of Apple Pay is an mpan, which deletion unlinks', async () => {
  const { owner } = openBriefVault()
  const payload = await createApplePayload({ owner }, { variant: 'mpan' })
  const { apple_pay } = await owner.applePay.create(payload)
  expect(apple_pay.type).toBe('mpan')
  expect((await owner.applePay.remove({ id: apple_pay.id })).apple_pay.status).toBe('unlinked')
})

test('Z-02 a payment of Apple Pay to several merchants has an authentication for each, only for :reveal', async () => {
  const vault = openBriefVault()
  const { apple_pay } = await vault.owner.applePay.create(
    await createApplePayload(vault, { merchants: ['shop', 'delivery'] }),
  )
  const { client } = await vault.application({ permissions: ['apple-pay:reveal'] })
  const response = { authentication_data: expect.stringMatching(/^.{28}$/), transaction_amount: '100' }
  expect((await client.applePay.get({ id: apple_pay.id })).authentication).toEqual({
    ...authentication,
    authentication_responses: [
      { merchant_identifier: 'shop', ...response },
      { merchant_identifier: 'delivery', ...response },
    ],
  })
  const masked = await vault.owner.applePay.get({ id: apple_pay.id })
  expect(masked.authentication).not.toHaveProperty('authentication_responses')
})

test('Z-02 a payment of Google Pay is stored, and a card that is not tokenized becomes a token intent', async () => {
  const vault = openBriefVault()
  const made = await createGooglePayment(vault)
  expect(made).toMatchObject({
    status: 'active',
    details: {
      tsp: 'Google',
      auth_method: 'CRYPTOGRAM_3DS',
      message_id: expect.any(String),
      eci_indicator: '7',
      assurance_details: { account_verified: true, card_holder_authenticated: true },
    },
    card: { last4: '0075' },
  })
  expect(made).not.toHaveProperty('expires_at')
  const { client } = await vault.application({ permissions: ['google-pay:reveal'] })
  expect(await client.googlePay.get({ id: made.id })).toMatchObject({ data, authentication })
  expect(await vault.owner.googlePay.remove({ id: made.id })).toEqual({
    id: made.id,
    tenant_id: made.tenant_id,
    status: 'deleted',
  })

  const { owner } = vault
  const cardOnly = await createGooglePayload(vault, { variant: 'pan_only' })
  const { token_intent } = await owner.googlePay.create(cardOnly)
  expect(token_intent).toMatchObject({
    type: 'card',
    card: { last4: '0075' },
    _extras: { tsp_details: { tsp: 'Google', auth_method: 'PAN_ONLY' } },
  })
  expect(await owner.tokenIntents.get({ id: token_intent?.id ?? '' })).toEqual(token_intent)
})

test('Z-02 the own keys of a vault encrypt and decrypt after years, because they have no certificate that expires', async () => {
  const vault = openVault()
  await createApplePayment(vault)
  await createGooglePayment(vault)
  vault.clock.advance(5 * 365 * 24 * 3600 * SECOND_MS)
  await vault.engine.sweeper.sweep()
  expect(await createApplePayment(vault)).toMatchObject({ status: 'active' })
  expect(await createGooglePayment(vault)).toMatchObject({ status: 'active' })
})

test('Z-02 payment data that no key decrypts, or that is changed or expired, gets one refusal', async () => {
  const vault = openBriefVault()
  const { owner, clock } = vault
  const other = openBriefVault()
  const apple = await createApplePayload(vault)
  const google = await createGooglePayload(vault)
  const expectRefusal = async (call: Promise<unknown>, wallet: string) =>
    expect(call).rejects.toMatchObject({
      code: `${wallet.toLowerCase()}_pay_refused`,
      message: `Failed to process the ${wallet} Pay token; the token payload is invalid or malformed.`,
    })
  await expectRefusal(owner.applePay.create(await createApplePayload(other)), 'Apple')
  await expectRefusal(owner.googlePay.create(await createGooglePayload(other)), 'Google')
  const { paymentData } = apple.apple_payment_data
  const changed = { ...paymentData, data: `AAAA${paymentData.data?.slice(4)}` }
  await expectRefusal(owner.applePay.create({ apple_payment_data: { paymentData: {} } }), 'Apple')
  await expectRefusal(owner.googlePay.create({ google_payment_data: { signedMessage: '{' } }), 'Google')
  await expectRefusal(owner.applePay.create({ apple_payment_data: { paymentData: changed } }), 'Apple')
  const wrongCard = await createGooglePayload(vault, { number: '4784000000380076' })
  await expectRefusal(owner.googlePay.create(wrongCard), 'Google')
  clock.advance(8 * 24 * 3600 * SECOND_MS)
  await expectRefusal(owner.googlePay.create(google), 'Google')
  clock.ms = Date.parse('2034-02-01T00:00:00Z')
  await expectRefusal(owner.applePay.create(apple), 'Apple')
})

test('Z-02 a registration decrypts only what was encrypted for its own certificates', async () => {
  const vault = openBriefVault()
  const { owner } = vault
  const { id: shop } = await owner.applePay.createMerchant({
    merchant_identifier: 'merchant.com.example.shop',
  })
  await expect(createApplePayload(vault, { merchant_registration_id: shop })).rejects.toMatchObject({
    message: 'merchant_registration_id names a registration without certificates',
  })
  const certificates = await owner.applePay.createCertificates({ merchantId: shop, ...processorFiles })
  const payload = await createApplePayload(vault, { merchant_registration_id: shop })
  expect((await owner.applePay.create(payload)).apple_pay.card?.last4).toBe('0075')
  const { merchant_registration_id, ...anywhere } = payload
  expect(merchant_registration_id).toBe(shop)
  expect((await owner.applePay.create(anywhere)).apple_pay.card?.last4).toBe('0075')
  const { id: another } = await owner.applePay.createMerchant({ merchant_identifier: 'b' })
  await expect(
    owner.applePay.create({ ...payload, merchant_registration_id: another }),
  ).rejects.toMatchObject({ code: 'apple_pay_refused' })
  await expect(
    owner.googlePay.create({ google_payment_data: {}, merchant_registration_id: shop }),
  ).rejects.toMatchObject({ message: 'merchant_registration_id names a registration that does not exist' })
  await owner.applePay.removeMerchant({ id: shop })
  await expect(
    owner.applePay.getCertificates({ merchantId: shop, id: certificates.id }),
  ).rejects.toMatchObject({ code: 'not_found' })
  await expect(owner.applePay.create(anywhere)).rejects.toMatchObject({ code: 'apple_pay_refused' })
})

test('Z-02 O-02 expressions use payments: as they may be read in detokenize, whole in arguments of code', async () => {
  const vault = openBriefVault()
  const apple = await createApplePayment(vault)
  const google = await createGooglePayment(vault)
  const payload = {
    number: `{{ apple_pay: ${apple.id} | json: '$.data.number' }}`,
    month: `{{ google_pay: ${google.id} | json: '$.data' | card_exp: 'MM' }}`,
    eci: `{{ apple_pay: ${apple.id} | json: '$.authentication.eci_indicator' }}`,
    nested: `{{ google_pay: ${google.id} | json: '$.data.authentication.eci_indicator' }}`,
  }
  const { client } = await vault.application({
    permissions: ['token:read', 'apple-pay:reveal', 'google-pay:reveal'],
  })
  expect(await client.tokens.detokenize({ payload })).toEqual({
    number: walletCard,
    month: '12',
    eci: '7',
    nested: '7',
  })
  const masked = (
    await vault.application({ permissions: ['token:read', 'apple-pay:read', 'google-pay:read'] })
  ).client
  expect(await masked.tokens.detokenize({ payload })).toMatchObject({ number: maskedWalletCard })
  const without = (await vault.application({ permissions: ['token:read'] })).client
  await expect(without.tokens.detokenize({ payload })).rejects.toMatchObject({ code: 'forbidden' })
  await vault.owner.applePay.remove({ id: apple.id })
  await expect(client.tokens.detokenize({ payload })).rejects.toMatchObject({
    message: `Failed to detokenize some tokens: ${apple.id}`,
  })
})

test('Z-02 the vault deletes a payment that has expired', async () => {
  const vault = openBriefVault()
  const { owner, clock, engine } = vault
  const expires_at = new Date(start + 60 * SECOND_MS).toISOString()
  const payload = await createGooglePayload(vault)
  const { google_pay } = await owner.googlePay.create({ ...payload, expires_at })
  const id = google_pay?.id ?? ''
  expect((await owner.googlePay.get({ id })).expires_at).toBe(expires_at.replace('Z', '+00:00'))
  clock.advance(61 * SECOND_MS)
  await expect(owner.googlePay.get({ id })).rejects.toMatchObject({ code: 'not_found' })
  await engine.sweeper.sweep()
  expect(countRows(vault)).toMatchObject({ google_pay: 0 })
})

test('Z-02 domains are registered once, replaced as a list, and at most 99', async () => {
  const { owner } = openBriefVault()
  const createVerified = (...domains: string[]) => ({
    domains: domains.map((domain) => ({ domain, status: 'verified' })),
  })
  expect(await owner.applePay.createDomain({ domain: 'A.example.com' })).toEqual(
    createVerified('a.example.com'),
  )
  expect(await owner.applePay.createDomain({ domain: 'a.example.com' })).toEqual(
    createVerified('a.example.com'),
  )
  const domains = ['b.example.com', 'a.example.com', 'b.example.com']
  expect(await owner.applePay.replaceDomains({ domains })).toEqual(
    createVerified('a.example.com', 'b.example.com'),
  )
  await owner.applePay.removeDomain({ domain: 'a.example.com' })
  await owner.applePay.removeDomain({ domain: 'a.example.com' })
  expect(await owner.applePay.listRegisteredDomains({})).toEqual(createVerified('b.example.com'))
  const many = Array.from({ length: 99 }, (_, index) => `d${index}.example.com`)
  await owner.applePay.replaceDomains({ domains: many })
  await expect(owner.applePay.createDomain({ domain: 'more.example.com' })).rejects.toMatchObject({
    code: 'unprocessable',
  })
})

test('Z-02 the session of a domain needs its registration, or that of a merchant', async () => {
  const { owner } = openBriefVault()
  const domain = 'shop.example.com'
  await expect(owner.applePay.createSession({ domain })).rejects.toMatchObject({ code: 'unprocessable' })
  await owner.applePay.createDomain({ domain })
  const session = await owner.applePay.createSession({ domain, display_name: 'Shop' })
  expect(session).toMatchObject({
    merchantSessionIdentifier: expect.stringMatching(/^SSH/),
    domainName: domain,
    displayName: 'Shop',
    epochTimestamp: start,
  })
  const { id } = await owner.applePay.createMerchant({ merchant_identifier: 'merchant.a' })
  expect(await owner.applePay.createSession({ merchant_registration_id: id })).toMatchObject({
    merchantIdentifier: 'merchant.a',
  })
})

test('Z-02 W-01 O-05 each step of a payment is an event and a log record about it, without data', async () => {
  const types = ['created', 'retrieved', 'deleted'].flatMap((what) => [
    `apple-pay.${what}`,
    `google-pay.${what}`,
  ])
  const { vault, takeEvents } = await openWithWebhook(types)
  const { client, id: created_by } = await vault.application({
    permissions: ['apple', 'google'].flatMap((name) =>
      ['create', 'read', 'delete'].map((verb) => `${name}-pay:${verb}`),
    ),
  })
  const made = {
    apple_pay: (await client.applePay.create(await createApplePayload(vault))).apple_pay.id,
    google_pay: (await client.googlePay.create(await createGooglePayload(vault))).google_pay?.id ?? '',
  }
  await client.applePay.get({ id: made.apple_pay })
  await client.googlePay.get({ id: made.google_pay })
  await client.applePay.remove({ id: made.apple_pay })
  await client.googlePay.remove({ id: made.google_pay })
  const events = takeEvents()
  const now = '2030-01-01T00:00:00.000Z'
  for (const [entity, id] of Object.entries(made)) {
    const prefix = entity.replace('_', '-')
    const expires_at = entity === 'apple_pay' ? '2034-01-01T00:00:00.000Z' : null
    const stored = { id, created_by, created_at: now, expires_at }
    const own = events.filter(({ type }) => type.startsWith(prefix))
    expect(own.map(({ type, data: { [entity]: shown } }) => [type, shown])).toEqual([
      [`${prefix}.created`, { ...stored, status: 'active' }],
      [`${prefix}.retrieved`, { id }],
      [`${prefix}.deleted`, { ...stored, status: 'deleted', modified_by: created_by, modified_at: now }],
    ])
    const { data: records } = await vault.owner.logs.find({ entity_id: id })
    expect(records.map(({ action, entity_type }) => [action.split('.')[1], entity_type])).toEqual([
      ['remove', entity],
      ['get', entity],
      ['create', entity],
    ])
  }
  expect(JSON.stringify(events)).not.toContain(walletCard)
})

test('Z-02 a vault of the format before wallets gets them', async () => {
  const vault = openVault()
  const { id } = await vault.owner.tokenIntents.create({ type: 'card_number', data: walletCard })
  vault.engine.close()
  undoMigrations(
    vault,
    migrations.findIndex(({ name }) => name === 'wallets'),
  )
  vault.reopen()
  expect(await vault.owner.tokenIntents.get({ id })).not.toHaveProperty('_extras')
  expect((await createApplePayment(vault)).card?.last4).toBe('0075')
})
