import { expect, test } from 'vitest'
import { copiedOf } from '../../renderer/screens/tokens/copied-value.ts'

test('of a card or an account its number is copied, of anything else all of it', () => {
  expect(copiedOf({ number: '4242424242424242', cvc: '123' })).toEqual({
    what: 'card',
    text: '4242424242424242',
  })
  expect(copiedOf({ routing_number: '1', account_number: '00001' })).toEqual({
    what: 'account',
    text: '00001',
  })
  expect(copiedOf('secret')).toEqual({ what: 'value', text: 'secret' })
  expect(copiedOf({ a: [1] })).toEqual({ what: 'value', text: '{"a":[1]}' })
  expect(copiedOf(undefined)).toEqual({ what: 'value', text: 'null' })
})
