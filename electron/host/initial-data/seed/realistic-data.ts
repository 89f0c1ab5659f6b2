import type { Json } from '../../../../shared/json.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import type { NewToken } from '../../../../shared/schemas/token.ts'
import type { TokenType } from '../../../../shared/token-types.ts'
import { isAbaValid } from '../../../engine/index.ts'
import { Random } from './random.ts'
import type { Seed } from './seed.ts'

/** Prefixes that payment processors publish for tests, with the length of the number. */
const cards = [
  ['424242', 16],
  ['400005', 16],
  ['555555', 16],
  ['520082', 16],
  ['378282', 15],
  ['601111', 16],
  ['356600', 16],
] as const

/** Creates data for a token of this type: valid in form and checksum, and not a real person's or bank's. */
function createRealisticData(type: TokenType, random: Random): NonNullable<Json> {
  switch (type) {
    case 'token':
      return createPerson(random)
    case 'card':
      return createCard(random)
    case 'network_token': {
      const { cvc: _cvc, ...card } = createCard(random)
      return card
    }
    case 'card_number':
      return createCardNumber(random)
    case 'bank':
      return { routing_number: createRoutingNumber(random), account_number: createAccountNumber(random) }
    case 'us_bank_account_number':
      return createAccountNumber(random)
    case 'us_bank_routing_number':
      return createRoutingNumber(random)
    case 'social_security_number':
      // Numbers from 900 up are never issued.
      return `9${random.nextDigits(2)}-${random.nextDigits(2)}-${random.nextDigits(4)}`
    case 'employer_id_number':
      return `00-${random.nextDigits(7)}`
  }
}

function createCard(random: Random) {
  const number = createCardNumber(random)
  return {
    number,
    expiration_month: 1 + random.nextInt(12),
    expiration_year: 2035 + random.nextInt(10),
    cvc: random.nextDigits(number.length === 15 ? 4 : 3),
  }
}

function createCardNumber(random: Random): string {
  const [prefix, length] = random.pickOne(cards)
  return withCheckDigit(prefix + random.nextDigits(length - prefix.length - 1), isLuhnValid)
}

/** Creates a number from the Federal Reserve's range of routing numbers. */
function createRoutingNumber(random: Random): string {
  const district = String(1 + random.nextInt(12)).padStart(2, '0')
  return withCheckDigit(district + random.nextDigits(6), isAbaValid)
}

function createAccountNumber(random: Random): string {
  return random.nextDigits(8 + random.nextInt(5))
}

function withCheckDigit(start: string, isValid: (digits: string) => boolean): string {
  for (let last = 0; last < 9; last++) if (isValid(start + last)) return start + last
  return `${start}9`
}

/** Generates the tokens of a seed's `generate` entries. The same seed gives the same tokens, including their ids. */
export function* generateTokens({ generate, random: number }: Seed): Generator<NewToken> {
  for (const [at, { count, ...entry }] of generate.entries()) {
    // Each entry has its own random sequence, so that changing one does not change the others.
    const random = new Random(Math.imul(number, 7919) + at)
    for (let n = 1; n <= count; n++) {
      const insertNumber = (text: string) => text.replaceAll('{n}', String(n))
      yield {
        ...entry,
        data: createRealisticData(entry.type, random),
        token_intent_id: undefined,
        id: entry.id === undefined ? random.nextUuid() : insertNumber(entry.id),
        metadata:
          entry.metadata &&
          Object.fromEntries(
            Object.entries(entry.metadata).map(([name, value]) => [
              name,
              typeof value === 'string' ? insertNumber(value) : value,
            ]),
          ),
      }
    }
  }
}

const firstNames =
  `Ada Alan Amir Anita Barbara Carlos Chen Dana Dennis Edith Elena Farid Frances Grace Hana Hedy Ines Ivan
  Jamal Joan Karen Katherine Kofi Lena Lin Margaret Mateo Mei Nadia Noor Olga Omar Priya Radia Rosa Samir Sofia Tariq
  Uma Vera Wei Yusuf Zoe`.split(/\s+/)

const familyNames =
  `Abara Almeida Baker Bauer Castro Chowdhury Costa Diaz Duarte Eriksen Fischer Garcia Haddad Hansen Ito
  Jansen Kaya Kim Kowalski Larsen Lopez Mbeki Meyer Moreau Nakamura Novak Okafor Osman Patel Petrov Quinn Rossi Sato
  Schmidt Silva Tanaka Torres Usman Varga Weber Yilmaz Zhang`.split(/\s+/)

const streets = ['Example Street', 'Sample Avenue', 'Test Lane', 'Harbour Road', 'Orchard Row', 'Mill Road']
const cities = ['Springfield', 'Riverton', 'Lakeside', 'Fairview', 'Greenville', 'Ashford']

type Person = {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly address: {
    readonly line1: string
    readonly city: string
    readonly postal_code: string
    readonly country: string
  }
}

/** Creates a fictional person: common names, and an email domain and phone numbers reserved for examples. */
function createPerson(random: Random): Person {
  const [first, last] = [random.pickOne(firstNames), random.pickOne(familyNames)]
  return {
    name: `${first} ${last}`,
    email: `${first}.${last}${random.nextInt(1000)}@example.com`.toLowerCase(),
    phone: `+1 555 01${random.nextDigits(2)}`,
    address: {
      line1: `${1 + random.nextInt(200)} ${random.pickOne(streets)}`,
      city: random.pickOne(cities),
      postal_code: random.nextDigits(5),
      country: 'US',
    },
  }
}
