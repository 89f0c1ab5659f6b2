import { expect, test } from 'vitest'
import {
  fitting,
  guess,
  isReadable,
  leftOut,
  looksLikeValues,
  mappingOf,
  problemOf,
} from '../../renderer/screens/settings/transfer/columns.ts'
import { hidden } from '../../renderer/screens/settings/transfer/hidden.ts'
import { importMapping } from '../../shared/schemas/transfer.ts'

const guessed = (...columns: string[]) => guess({ columns })

test('card columns are recognised by their usual names, and give a mapping the import accepts', () => {
  const choice = guessed(
    'Card Number',
    'exp_month',
    'ExpYear',
    'CVV',
    'customer_id',
    'valid until',
    'shoe size',
  )
  expect(choice).toEqual({
    type: 'card',
    container: '',
    targets: {
      'Card Number': 'data.number',
      exp_month: 'data.expiration_month',
      ExpYear: 'data.expiration_year',
      CVV: 'data.cvc',
      customer_id: 'metadata',
      'valid until': 'expires_at',
    },
  })
  const mapping = mappingOf({ ...choice, container: ' /shop/ ' })
  expect(mapping).toEqual({
    type: 'card',
    data: {
      number: '$Card Number',
      expiration_month: '$exp_month',
      expiration_year: '$ExpYear',
      cvc: '$CVV',
    },
    containers: ['/shop/'],
    expires_at: '$valid until',
    metadata: { customer_id: '$customer_id' },
  })
  expect(importMapping.safeParse(mapping).success).toBe(true)
})

test('other types are recognised too; a column that may hold anything is encrypted as a member of the data', () => {
  expect(mappingOf(guessed('id', 'aba', 'account_no'))).toEqual({
    type: 'bank',
    id: '$id',
    data: { routing_number: '$aba', account_number: '$account_no' },
  })
  expect(mappingOf(guessed('ssn', 'container'))).toEqual({
    type: 'social_security_number',
    data: '$ssn',
    containers: ['$container'],
  })
  expect(mappingOf(guessed('name', 'person.email', 'metadata.source'))).toEqual({
    type: 'token',
    data: { name: '$name', 'person.email': '$person.email' },
    metadata: { source: '$metadata.source' },
  })
  expect(mappingOf(guessed('type', 'data'))).toEqual({ type: '$type', data: '$data' })
})

test('X-16 only a known reference or note becomes metadata', () => {
  const columns = ['pan', 'cvv', 'pin', 'iban', 'password', 'ssn', 'holder', 'unknown', 'account']
  for (const first of ['pan', 'ssn', 'value']) {
    const { targets } = guessed(first, ...columns.filter((column) => column !== first))
    expect(Object.values(targets)).not.toContain('metadata')
  }
})

test('a choice that gives no token says what is missing', () => {
  expect(problemOf(guessed('pan', 'month'))).toBeNull()
  expect(problemOf({ type: 'card', container: '', targets: {} })).toContain('becomes the data')
  const twice = { a: 'data.number', b: 'data.number' } as const
  expect(problemOf({ type: 'card', container: '', targets: twice })).toContain('card number')
  const mixed = { a: 'data', b: 'data.*' } as const
  expect(problemOf({ type: 'token', container: '', targets: mixed })).toContain('Either')
})

test('changing the type keeps the targets that still apply', () => {
  const card = guessed('pan', 'customer_id')
  expect(fitting({ ...card, type: 'bank' }).targets).toEqual({ customer_id: 'metadata' })
})

test('a missing header line is noticed', () => {
  expect(looksLikeValues(['4242424242424242', '12'])).toBe(true)
  expect(looksLikeValues(['pan', 'address 2'])).toBe(false)
})

test('X-16 a preview hides values until they are requested', () => {
  expect(hidden('4242424242424242')).toBe('••••4242')
  expect(hidden('123')).toBe('•••')
  expect(hidden('987-65-4320')).not.toMatch(/\d/)
})

test('a metadata key is renamed, and columns that nothing is kept of are named', () => {
  const choice = {
    ...guessed('Card Number', 'customer_id', 'order id', 'shoe size'),
    keys: { customer_id: 'buyer' },
  }
  expect(mappingOf(choice).metadata).toMatchObject({ buyer: '$customer_id' })
  expect(leftOut(choice, ['Card Number', 'customer_id', 'order id', 'shoe size'])).toEqual(['shoe size'])
  expect(problemOf({ ...choice, keys: { customer_id: 'order id' } })).toMatch(/order id/)
  expect(problemOf({ ...choice, keys: { customer_id: '  ' } })).toMatch(/Name every/)
  expect(
    ['metadata', 'id', 'data.number', 'data', undefined].map((each) => isReadable(each as never)),
  ).toEqual([true, true, false, false, false])
})
