import type { Permission } from '../../../shared/permissions.ts'
import { absent, anyNumber, anyString, type Expected, type PlainJson, type Statement } from '../statement.ts'
import {
  createApplication,
  createToken,
  decideRule,
  refuseToken,
  sendGet,
  sendPatch,
  stateRule,
} from './steps.ts'

const make: readonly Permission[] = ['token:create', 'token:delete']
const read: readonly Permission[] = [...make, 'token:read']
const page = 'Token types'

const number = '4242424242424242'
const expiry = { expiration_month: 12, expiration_year: 2035 }

/** What a token of a type is like if only its data is given. */
const describeType = (type: string, data: PlainJson, says: string, expected: Record<string, Expected>) =>
  stateRule('T-02', page, make, {
    [`A token of type ${type} ${says}`]: createToken({ type, data }, { type, ...expected }),
  })

const refuseData = (type: string, data: PlainJson, says: string, ...members: string[]) =>
  stateRule('T-03', page, make, {
    [`A token of type ${type} ${says}`]: refuseToken({ type, data }, ...members),
  })

/** Data that a type takes. */
const acceptData = (type: string, data: PlainJson, says: string) =>
  stateRule('T-03', page, make, { [`A token of type ${type} ${says}`]: createToken({ type, data }) })

/** The details of a test card. */
const describeCard = (
  cardNumber: string,
  brand: string,
  funding: string,
  more: Record<string, Expected> = {},
) =>
  stateRule('T-16', 'Test cards', make, {
    [`The test card that ends in ${cardNumber.slice(-6)} is of ${brand}, ${funding}`]: createToken(
      { type: 'card_number', data: cardNumber },
      { card: { brand, funding, last4: cardNumber.slice(-4), ...more } },
    ),
  })

export const tokenTypes: readonly Statement[] = [
  describeType('token', 'unclassified ${unique}', 'is in /general/high/, without a mask or indexes', {
    containers: ['/general/high/'],
    mask: absent,
    search_indexes: absent,
    fingerprint: anyString,
    card: absent,
    bank: absent,
  }),
  describeType('card', { number, ...expiry, cvc: '123' }, 'is in /pci/high/, masked but for its expiry', {
    containers: ['/pci/high/'],
    data: { number: 'XXXXXXXXXXXX4242', ...expiry, cvc: absent },
    fingerprint: anyString,
  }),
  describeType('card_number', number, 'is in /pci/high/, masked but for its last four digits', {
    containers: ['/pci/high/'],
    data: 'XXXXXXXXXXXX4242',
    mask: '{{ data | reveal_last: 4 }}',
  }),
  describeType(
    'bank',
    { routing_number: '021000021', account_number: '00001234567' },
    'is in /bank/high/, with its routing number in clear',
    { containers: ['/bank/high/'], data: { routing_number: '021000021', account_number: 'XXXXXXX4567' } },
  ),
  describeType('us_bank_account_number', '00001234567', 'is in /bank/high/, masked but for four digits', {
    containers: ['/bank/high/'],
    data: 'XXXXXXX4567',
  }),
  describeType('us_bank_routing_number', '021000021', 'is in /bank/low/, masked but for four digits', {
    containers: ['/bank/low/'],
    data: 'XXXXX0021',
  }),
  describeType(
    'social_security_number',
    '123-45-6789',
    'is in /pii/high/, masked but for four digits and dashes',
    { containers: ['/pii/high/'], data: 'XXX-XX-6789' },
  ),
  describeType(
    'employer_id_number',
    '12-3456789',
    'is in /pii/high/, masked but for four digits and dashes',
    { containers: ['/pii/high/'], data: 'XX-XXX6789' },
  ),
  stateRule('T-02', page, make, {
    'Dashes do not change the fingerprint of a social security number': [
      createToken(
        { type: 'social_security_number', data: '123-45-6789' },
        {},
        { save: { print: '/fingerprint' }, name: 'first' },
      ),
      createToken({ type: 'social_security_number', data: '123456789' }, { fingerprint: '${print}' }),
    ],
    'The expiry of a card does not change its fingerprint': [
      createToken({ type: 'card', data: { number } }, {}, { save: { print: '/fingerprint' }, name: 'first' }),
      createToken({ type: 'card', data: { number, ...expiry, cvc: '999' } }, { fingerprint: '${print}' }),
    ],
    'An unknown type is refused': refuseToken({ type: 'passport', data: 'x' }, 'type'),
  }),
  acceptData('card', { number }, 'needs only a number'),
  acceptData(
    'card',
    { number, expiration_month: '01', expiration_year: '2035' },
    'may have its expiry as strings',
  ),
  acceptData('card', { number, expiration_month: 1, expiration_year: 2020 }, 'may be past its expiry'),
  acceptData('card', { number: '378282246310005', ...expiry, cvc: '1234' }, 'may have a cvc of four digits'),
  acceptData('card_number', '6200000000000005', 'may be of any network'),
  acceptData(
    'bank',
    { routing_number: '021000021', account_number: '1' },
    'may have an account number of one digit',
  ),
  acceptData(
    'bank',
    { routing_number: '021000021', account_number: '12345678901234567' },
    'may have an account number of 17 digits',
  ),
  refuseData('card', { number: '4242424242424241' }, 'is refused without a valid check digit', 'data.number'),
  refuseData('card', { number: '4242 4242 4242 4242' }, 'is refused with separators', 'data.number'),
  refuseData('card', { number: '424242424242' }, 'is refused with 12 digits', 'data.number'),
  refuseData('card', { ...expiry }, 'is refused without a number', 'data.number'),
  refuseData(
    'card',
    { number, expiration_month: 13, expiration_year: 2035 },
    'is refused with month 13',
    'data.expiration_month',
  ),
  refuseData(
    'card',
    { number, expiration_month: 0, expiration_year: 2035 },
    'is refused with month 0',
    'data.expiration_month',
  ),
  refuseData(
    'card',
    { number, expiration_month: 1, expiration_year: 35 },
    'is refused with a year of two digits',
    'data.expiration_year',
  ),
  refuseData('card', { number, cvc: '12' }, 'is refused with a cvc of two digits', 'data.cvc'),
  refuseData('card', { number, cvc: '12345' }, 'is refused with a cvc of five digits', 'data.cvc'),
  refuseData('card', number, 'is refused with a string as data'),
  refuseData('card_number', '4242424242424241', 'is refused without a valid check digit', 'data'),
  refuseData('card_number', { number }, 'is refused with an object as data'),
  refuseData(
    'bank',
    { routing_number: '021000022', account_number: '1' },
    'is refused with a wrong ABA checksum',
    'data.routing_number',
  ),
  refuseData('bank', { account_number: '1' }, 'is refused without a routing number', 'data.routing_number'),
  refuseData(
    'bank',
    { routing_number: '021000021', account_number: '123456789012345678' },
    'is refused with an account number of 18 digits',
    'data.account_number',
  ),
  refuseData('us_bank_account_number', '12', 'is refused with two digits', 'data'),
  refuseData('us_bank_routing_number', '021000022', 'is refused with a wrong ABA checksum', 'data'),
  refuseData('social_security_number', '12345678', 'is refused with eight digits', 'data'),
  refuseData('employer_id_number', '1234567890', 'is refused with ten digits', 'data'),
  decideRule('T-03', page, make, {
    'A card with a member of another name is refused': refuseToken(
      { type: 'card', data: { number, holder: 'Ada' } },
      'data.holder',
    ),
    'One answer names everything that is wrong with a card': refuseToken(
      { type: 'card', data: { number: '1', expiration_month: 13, expiration_year: 1, cvc: 'x' } },
      'data.number',
      'data.expiration_month',
      'data.expiration_year',
      'data.cvc',
    ),
  }),
  describeCard('4242424242424242', 'visa', 'credit', { bin: '42424242' }),
  describeCard('5555555555554444', 'mastercard', 'credit'),
  describeCard('2720394612465072', 'mastercard', 'credit'),
  describeCard('378282246310005', 'american-express', 'credit', { bin: '378282' }),
  describeCard('4000056655665556', 'visa', 'credit'),
  describeCard('6200000000000005', 'unionpay', 'credit'),
  describeCard('6011000990139424', 'discover', 'credit'),
  describeCard('6011111111111117', 'discover', 'credit'),
  describeCard('6011981111111113', 'discover', 'debit'),
  describeCard('3566002020360505', 'jcb', 'debit'),
  describeCard('3530111333300000', 'jcb', 'debit'),
  describeCard('4005550000081019', 'visa', 'debit'),
  describeCard('5200828282828210', 'mastercard', 'debit'),
  stateRule('T-16', 'Card details', make, {
    'The card details of a card have its expiry': createToken(
      { type: 'card', data: { number, ...expiry } },
      { card: { bin: '42424242', last4: '4242', ...expiry, authentication: 'sca_required' } },
    ),
    'The card details of a card number have no expiry': createToken(
      { type: 'card_number', data: number },
      { card: { expiration_month: absent, expiration_year: absent } },
    ),
  }),
  // A test tenant may make up the details of a card that is not in its table.
  decideRule('T-16', 'Card details', make, {
    'Brand, funding and authentication are null for an unknown BIN': createToken(
      { type: 'card_number', data: '9999999999999995' },
      { card: { bin: '99999999', last4: '9995', brand: null, funding: null, authentication: null } },
    ),
  }),
  stateRule('T-16', 'Card details', [...read, 'token:update'], {
    'The card details follow a change of the number': [
      createToken({ type: 'card', data: { number, ...expiry } }),
      sendPatch(
        '/tokens/${id}',
        { data: { number: '5555555555554444', expiration_month: 1 } },
        { card: { last4: '4444', brand: 'mastercard', expiration_month: 1, expiration_year: anyNumber } },
      ),
      sendGet('/tokens/${id}', { card: { last4: '4444', brand: 'mastercard' } }),
    ],
  }),
  stateRule('T-15', 'Card object', 'management', {
    'A cvc is in no masked answer': [
      createApplication('worker', { permissions: [...read, 'token:update'] }),
      createToken(
        { type: 'card', data: { number, ...expiry, cvc: '123' } },
        { data: { cvc: absent }, mask: { cvc: absent } },
        { as: 'worker' },
      ),
      sendGet('/tokens/${id}', { data: { cvc: absent } }, { as: 'worker' }),
      sendPatch('/tokens/${id}', { data: { cvc: '999' } }, { data: { cvc: absent } }, { as: 'worker' }),
    ],
  }),
  decideRule('T-17', 'Bank object', make, {
    'Bank details have the routing number and the last four digits of the account': createToken(
      { type: 'bank', data: { routing_number: '021000021', account_number: '00001234567' } },
      { bank: { routing_number: '021000021', account_number_last4: '4567' } },
    ),
  }),
].flat()
