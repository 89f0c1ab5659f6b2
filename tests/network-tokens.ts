import { isLuhnValid } from '../shared/luhn.ts'
import type { TestVault } from './engine/vault-helpers.ts'

/** A card that gets a network token. */
export const eligibleCard = { number: '4000000000000002', expiration_month: 10, expiration_year: 2035 }

let made = 0

/** Returns a card that no network token was created for. */
export function createEligibleCard(): typeof eligibleCard {
  const digits = `400000${String(++made).padStart(9, '0')}`
  const numbers = [...'0123456789'].map((check) => digits + check)
  return { ...eligibleCard, number: numbers.find(isLuhnValid) ?? '' }
}

export function createNetworkToken({ owner }: Pick<TestVault, 'owner'>) {
  return owner.networkTokens.create({ data: createEligibleCard() })
}
