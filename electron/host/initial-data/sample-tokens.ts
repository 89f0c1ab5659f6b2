import type { Json } from '../../../shared/json.ts'
import { formatIsoTime } from '../../../shared/time.ts'

export type SampleToken = {
  readonly type: string
  readonly data: Json
  readonly id?: string
  readonly mask?: Json
  readonly containers?: string[]
  readonly metadata?: Record<string, string>
  readonly search_indexes?: string[]
  readonly expires_at?: string
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Published test numbers that no bank ever issued: number, month, year, cvc, customer, container. */
const cards = [
  ['4242424242424242', 12, 2030, '123', 'ada', '/pci/high/'],
  ['4111111111111111', 1, 2031, '737', 'grace', '/pci/high/'],
  ['4012888888881881', 8, 2029, '321', 'alan', '/pci/high/'],
  ['4000056655665556', 3, 2028, '111', 'edsger', '/pci/high/'],
  ['4000002500003155', 5, 2032, '222', 'barbara', '/pci/high/eu/'],
  ['4000002760003184', 6, 2030, '333', 'donald', '/pci/high/eu/'],
  ['5555555555554444', 10, 2030, '444', 'ada', '/pci/high/'],
  ['2223003122003222', 11, 2031, '555', 'katherine', '/pci/high/eu/'],
  ['5200828282828210', 2, 2029, '666', 'john', '/pci/high/'],
  ['378282246310005', 7, 2030, '1234', 'grace', '/pci/high/'],
  ['371449635398431', 9, 2028, '4321', 'margaret', '/pci/high/'],
  ['6011111111111117', 4, 2033, '777', 'dennis', '/pci/high/'],
  ['3056930009020004', 12, 2029, '888', 'frances', '/pci/high/'],
  ['3566002020360505', 1, 2030, '999', 'ken', '/pci/high/apac/'],
] as const

const cardNumbers = [
  ['5105105105105100', 'gift-cards'],
  ['6011000990139424', 'imports'],
  ['30569309025904', 'imports'],
  ['3530111333300000', 'imports'],
] as const

/** Routing number, account number, customer. The first two accounts are in the built-in bank directory. */
const banks = [
  ['021000021', '00001', 'ada'],
  ['021000021', '00002', 'alan'],
  ['110000000', '000111111116', 'grace'],
  ['110000000', '000123456789', 'barbara'],
  ['110000000', '000999999991', 'ken'],
] as const

/** Social security number, from the range reserved for advertisements, and customer. */
const people = [
  ['987-65-4320', 'ada'],
  ['987-65-4321', 'grace'],
  ['987-65-4322', 'alan'],
  ['987-65-4323', 'barbara'],
  ['987-65-4324', 'katherine'],
  ['987-65-4325', 'margaret'],
] as const

const generic: readonly Omit<SampleToken, 'type'>[] = [
  {
    data: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+1 555 0100' },
    mask: { name: '{{ data.name | reveal: 1, 0 }}', email: '{{ data.email | reveal: 1, 11, "*", "@." }}' },
    containers: ['/pii/high/contacts/'],
    metadata: { customer: 'ada', kind: 'contact' },
    search_indexes: ['{{ data.email }}'],
  },
  {
    data: { name: 'Grace Hopper', email: 'grace@example.com', phone: '+1 555 0101' },
    mask: { name: '{{ data.name | reveal: 1, 0 }}', email: '{{ data.email | reveal: 1, 11, "*", "@." }}' },
    containers: ['/pii/high/contacts/'],
    metadata: { customer: 'grace', kind: 'contact' },
    search_indexes: ['{{ data.email }}'],
  },
  {
    data: { line1: '12 Example Street', city: 'Springfield', postal_code: '00000', country: 'US' },
    mask: { city: '{{ data.city }}', country: '{{ data.country }}' },
    containers: ['/pii/high/addresses/'],
    metadata: { customer: 'alan', kind: 'address' },
  },
  {
    data: { diagnosis: 'Sample only', codes: ['Z00.0', 'Z01.0'] },
    containers: ['/health/high/'],
    metadata: { customer: 'katherine', kind: 'health' },
  },
  {
    data: 'sample-webhook-secret-1',
    mask: '{{ data | reveal_last: 4 }}',
    containers: ['/general/high/credentials/'],
    metadata: { kind: 'credential', service: 'webhooks' },
  },
  {
    data: { username: 'demo', password: 'not-a-real-password' },
    mask: { username: '{{ data.username }}' },
    containers: ['/general/high/credentials/'],
    metadata: { kind: 'credential', service: 'warehouse' },
  },
  { data: [3, 1, 4, 1, 5], containers: ['/general/low/'], metadata: { kind: 'array' } },
  { data: 42, containers: ['/general/low/'], metadata: { kind: 'number' } },
]

/**
 * Returns about forty varied tokens, dated from `now`: every type, several containers, metadata, masks, indexes,
 * expiries.
 */
export function createSampleTokens(now: number): SampleToken[] {
  const formatOrder = (at: number) => `order-${1001 + at}`
  return [
    ...generic.map((each): SampleToken => ({ type: 'token', ...each })),
    {
      type: 'token',
      data: { one_time_code: '000000' },
      metadata: { kind: 'one-time code' },
      expires_at: formatIsoTime(now + HOUR_MS),
    },
    ...people.map(
      ([data, customer]): SampleToken => ({
        type: 'social_security_number',
        data,
        metadata: { customer },
      }),
    ),
    { type: 'employer_id_number', data: '98-7654321', metadata: { customer: 'acme' } },
    { type: 'employer_id_number', data: '98-7654322', metadata: { customer: 'globex' } },
    ...banks.map(
      ([routing_number, account_number, customer]): SampleToken => ({
        type: 'bank',
        data: { routing_number, account_number },
        metadata: { customer, purpose: 'payout' },
      }),
    ),
    { type: 'us_bank_account_number', data: '00000', metadata: { customer: 'dennis' } },
    { type: 'us_bank_routing_number', data: '110000000', metadata: { bank: 'test bank' } },
    ...cardNumbers.map(
      ([data, source]): SampleToken => ({
        type: 'card_number',
        data,
        id: '{{ data | alias_card: false, true }}',
        containers: ['/pci/high/', '/pci/imports/'],
        metadata: { source },
      }),
    ),
    ...cards.map(
      ([number, expiration_month, expiration_year, cvc, customer, container], at): SampleToken => ({
        type: 'card',
        data: { number, expiration_month, expiration_year, cvc },
        containers: [container],
        metadata: { customer, order: formatOrder(at) },
        search_indexes: ['{{ data.number | last4 }}'],
        ...(at % 5 === 4 && { expires_at: formatIsoTime(now + (at + 1) * 10 * DAY_MS) }),
      }),
    ),
  ]
}
