import { expect, test } from 'vitest'
import { toCopiedText } from '../../renderer/screens/tokens/copied-value.ts'

test('copying a card or account copies its number, otherwise all data', () => {
  expect(toCopiedText({ number: '4242424242424242', cvc: '123' })).toEqual({
    what: 'card',
    text: '4242424242424242',
  })
  expect(toCopiedText({ routing_number: '1', account_number: '00001' })).toEqual({
    what: 'account',
    text: '00001',
  })
  expect(toCopiedText('secret')).toEqual({ what: 'value', text: 'secret' })
  expect(toCopiedText({ a: [1] })).toEqual({ what: 'value', text: '{"a":[1]}' })
  expect(toCopiedText(undefined)).toEqual({ what: 'value', text: 'null' })
})
