import type { Random } from './random.ts'

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

export type Person = {
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
export function createPerson(random: Random): Person {
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
