import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getFuzzParameters } from '../fuzz.ts'
import { countRows } from '../rows.ts'
import { openVault } from '../vault.ts'
import { createApplePayload, createGooglePayload, googleFiles, processorFiles } from '../wallets.ts'
import type { TestVault } from './vault-helpers.ts'

const DAY_MS = 24 * 3600 * 1000
const WAIT_MS = 200 * DAY_MS

/** Payment data that was encrypted before. It is decrypted until its wallet or its card has expired. */
type EncryptedPayment = {
  readonly merchant: string | undefined
  /** Whether it is for the key pair of the vault, which is never removed. All certificates of a wallet have one key. */
  readonly isForVault: boolean
  readonly expires_at: number
  /** Sends it to the vault. Returns the id of the payment. */
  sendToVault(): Promise<string>
}

const encryptApplePayment = async (vault: TestVault, merchant_registration_id?: string) => {
  const payload = await createApplePayload(vault, {
    ...(merchant_registration_id && { merchant_registration_id }),
  })
  const expires_at = Date.UTC(new Date(vault.clock.now()).getUTCFullYear() + 4, 0)
  return { expires_at, sendToVault: async () => (await vault.owner.applePay.create(payload)).apple_pay.id }
}

const encryptGooglePayment = async (vault: TestVault, merchant_registration_id?: string) => {
  const payload = await createGooglePayload(vault, {
    ...(merchant_registration_id && { merchant_registration_id }),
  })
  const sendToVault = async () => (await vault.owner.googlePay.create(payload)).google_pay?.id ?? ''
  return { expires_at: vault.clock.now() + 7 * DAY_MS, sendToVault }
}

const wallets = {
  applePay: { encrypt: encryptApplePayment, files: processorFiles, expires: true },
  googlePay: { encrypt: encryptGooglePayment, files: googleFiles, expires: false },
} as const
type ModelledWallet = keyof typeof wallets

/** What exists of one wallet, and every id that a step may pick. */
class WalletModel {
  /** When each payment expires. */
  readonly payments = new Map<string, number>()
  readonly merchants = new Set<string>()
  /** The registration of each certificate. */
  readonly certificates = new Map<string, string>()
  readonly #encrypted: EncryptedPayment[] = []
  readonly #picks: string[] = [randomUUID()]
  readonly #vault: TestVault
  readonly #wallet: ModelledWallet

  constructor(vault: TestVault, wallet: ModelledWallet) {
    this.#vault = vault
    this.#wallet = wallet
  }

  async runStep({ action, pick }: WalletStep): Promise<void> {
    const id = this.#picks[pick % this.#picks.length] ?? ''
    if (action === 'encryptPayment') return this.encryptPayment(pick % 2 === 0 ? undefined : id)
    if (action === 'sendPayment') return this.sendPayment(this.#encrypted[pick % this.#encrypted.length])
    if (action === 'registerMerchant') return this.registerMerchant()
    return this[action](id)
  }

  get #operations() {
    return this.#vault.owner[this.#wallet]
  }

  #hasCertificate(merchant: string | undefined): boolean {
    const merchants = [...this.certificates.values()]
    return merchant === undefined ? merchants.length > 0 : merchants.includes(merchant)
  }

  async encryptPayment(merchant: string | undefined): Promise<void> {
    const isForVault = merchant === undefined && !this.#hasCertificate(undefined)
    const isPossible = isForVault || this.#hasCertificate(merchant)
    const call = wallets[this.#wallet].encrypt(this.#vault, merchant)
    await expectError(call, isPossible ? null : 'invalid')
    if (isPossible) this.#encrypted.push({ merchant, isForVault, ...(await call) })
  }

  async sendPayment(payment: EncryptedPayment | undefined): Promise<void> {
    if (!payment) return
    const { merchant, isForVault, expires_at } = payment
    const isKnown = merchant === undefined || this.merchants.has(merchant)
    const isGood = (isForVault || this.#hasCertificate(merchant)) && expires_at > this.#vault.clock.now()
    const refusal = this.#wallet === 'applePay' ? 'apple_pay_refused' : 'google_pay_refused'
    const call = payment.sendToVault()
    await expectError(call, isKnown ? (isGood ? null : refusal) : 'invalid')
    if (!isKnown || !isGood) return
    this.payments.set(await call, wallets[this.#wallet].expires ? expires_at : Number.POSITIVE_INFINITY)
    this.#picks.push(await call)
  }

  async registerMerchant(): Promise<void> {
    const { id } = await this.#operations.createMerchant({ merchant_identifier: 'm' })
    this.merchants.add(id)
    this.#picks.push(id)
  }

  async removeMerchant(id: string): Promise<void> {
    await expectError(this.#operations.removeMerchant({ id }), this.merchants.has(id) ? null : 'not_found')
    this.merchants.delete(id)
    for (const [certificate, merchant] of this.certificates)
      if (merchant === id) this.certificates.delete(certificate)
  }

  async addCertificate(merchantId: string): Promise<void> {
    const { applePay, googlePay } = this.#vault.owner
    const call: Promise<{ id: string }> =
      this.#wallet === 'applePay'
        ? applePay.createCertificates({ merchantId, ...processorFiles })
        : googlePay.createCertificates({ merchantId, ...googleFiles })
    await expectError(call, this.merchants.has(merchantId) ? null : 'not_found')
    if (!this.merchants.has(merchantId)) return
    const { id } = await call
    this.certificates.set(id, merchantId)
    this.#picks.push(id)
  }

  async removeCertificate(id: string): Promise<void> {
    const merchantId = this.certificates.get(id) ?? randomUUID()
    const call = this.#operations.removeCertificates({ merchantId, id })
    await expectError(call, this.certificates.has(id) ? null : 'not_found')
    this.certificates.delete(id)
  }

  async getPayment(id: string): Promise<void> {
    await expectError(this.#operations.get({ id }), this.#isStored(id) ? null : 'not_found')
  }

  async removePayment(id: string): Promise<void> {
    const isStored = this.#isStored(id)
    await expectError(this.#operations.remove({ id }), isStored ? null : 'not_found')
    if (isStored) this.payments.delete(id)
  }

  #isStored(id: string): boolean {
    return (this.payments.get(id) ?? 0) > this.#vault.clock.now()
  }
}

/** Expects a call to fail with this code, or to succeed. */
async function expectError(call: Promise<unknown>, code: string | null): Promise<void> {
  const failed: string | null = await call.then(
    () => null,
    (error) => error.code,
  )
  expect(failed).toBe(code)
}

const actions = [
  ...['encryptPayment', 'sendPayment', 'getPayment', 'removePayment'],
  ...['registerMerchant', 'removeMerchant', 'addCertificate', 'removeCertificate'],
] as const
type WalletStep = { readonly action: (typeof actions)[number]; readonly pick: number }

test('Z-02 random life cycles of payments, registrations and certificates follow the model', {
  tags: 'thorough',
}, async () => {
  const wallet = fc.constantFrom('applePay' as const, 'googlePay' as const)
  const action = fc.constantFrom(...actions, 'wait' as const, 'reopen' as const)
  const step = fc.record({ wallet, action, pick: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const vault = openVault()
      const models = {
        applePay: new WalletModel(vault, 'applePay'),
        googlePay: new WalletModel(vault, 'googlePay'),
      }
      for (const { wallet, action, pick } of steps) {
        if (action === 'wait') vault.clock.advance(WAIT_MS)
        else if (action === 'reopen') vault.reopen()
        else await models[wallet].runStep({ action, pick })
      }
      const { merchants } = await vault.owner.wallets.getOverview({})
      const both = [models.applePay, models.googlePay]
      expect(merchants.map(({ id }) => id).sort()).toEqual(both.flatMap((each) => [...each.merchants]).sort())
      expect(merchants.flatMap(({ certificates }) => certificates.map(({ id }) => id)).sort()).toEqual(
        both.flatMap((each) => [...each.certificates.keys()]).sort(),
      )
      const { apple_pay, google_pay } = countRows(vault)
      expect([apple_pay, google_pay]).toEqual([models.applePay.payments.size, models.googlePay.payments.size])
      vault.engine.close()
    }),
    getFuzzParameters(60),
  )
})
