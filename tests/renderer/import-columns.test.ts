import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCreated, parseCreated } from '../../renderer/parts/tokens/created-together.ts'
import {
  type Choice,
  describeProblem,
  findSkippedColumns,
  guessChoice,
  hasValuesAsNames,
  isReadable,
  removeUnfitTargets,
  toImportMapping,
  withType,
} from '../../renderer/screens/settings/transfer/columns.ts'
import { maskValue } from '../../renderer/screens/settings/transfer/mask-value.ts'
import { importMapping } from '../../shared/schemas/transfer.ts'

const guessColumns = (...columns: string[]) => guessChoice({ columns })

test('card columns are recognized by their usual names', () => {
  const choice = guessColumns('Card Number', 'exp_month', 'ExpYear', 'CVV', 'customer_id', 'shoe size')
  expect(choice).toEqual({
    type: 'card',
    container: '',
    targets: {
      'Card Number': 'data.number',
      exp_month: 'data.expiration_month',
      ExpYear: 'data.expiration_year',
      CVV: 'data.cvc',
      customer_id: 'metadata',
    },
  })
  const mapping = toImportMapping({ ...choice, container: ' /shop/ ' })
  expect(mapping).toEqual({
    type: 'card',
    data: {
      number: '$Card Number',
      expiration_month: '$exp_month',
      expiration_year: '$ExpYear',
      cvc: '$CVV',
    },
    containers: ['/shop/'],
    metadata: { customer_id: '$customer_id' },
  })
  expect(importMapping.safeParse(mapping).success).toBe(true)
})

test('an unrecognized column is encrypted as part of the data', () => {
  expect(toImportMapping(guessColumns('id', 'aba', 'account_no'))).toEqual({
    type: 'bank',
    id: '$id',
    data: { routing_number: '$aba', account_number: '$account_no' },
  })
  expect(toImportMapping(guessColumns('ssn', 'container'))).toEqual({
    type: 'social_security_number',
    data: '$ssn',
    containers: ['$container'],
  })
  expect(toImportMapping(guessColumns('name', 'person.email', 'metadata.source'))).toEqual({
    type: 'token',
    data: { name: '$name', 'person.email': '$person.email' },
    metadata: { source: '$metadata.source' },
  })
  expect(toImportMapping(guessColumns('type', 'data'))).toEqual({ type: '$type', data: '$data' })
})

test('X-16 no column with a secret or an unknown name becomes metadata', () => {
  const columns = ['pan', 'cvv', 'pin', 'iban', 'password', 'ssn', 'holder', 'unknown', 'account']
  for (const first of ['pan', 'ssn', 'value']) {
    const { targets } = guessColumns(first, ...columns.filter((column) => column !== first))
    expect(Object.values(targets)).not.toContain('metadata')
  }
})

test('an incomplete column mapping names what is missing', () => {
  expect(describeProblem(guessColumns('pan', 'month'))).toBeNull()
  expect(describeProblem({ type: 'card', container: '', targets: {} })).toContain('becomes the data')
  const twice = { a: 'data.number', b: 'data.number' } as const
  expect(describeProblem({ type: 'card', container: '', targets: twice })).toContain('card number')
  const mixed = { a: 'data', b: 'data.*' } as const
  expect(describeProblem({ type: 'token', container: '', targets: mixed })).toContain('Either')
})

test('after a change of the token type, columns retain only the targets that fit the type', () => {
  const card = guessColumns('pan', 'customer_id')
  expect(removeUnfitTargets({ ...card, type: 'bank' }).targets).toEqual({ customer_id: 'metadata' })
})

test('a missing header line is detected', () => {
  expect(hasValuesAsNames(['4242424242424242', '12'])).toBe(true)
  expect(hasValuesAsNames(['pan', 'address 2'])).toBe(false)
})

test('X-16 a preview shows at most the last four characters of a value', () => {
  expect(maskValue('4242424242424242')).toBe('••••4242')
  expect(maskValue('123')).toBe('•••')
  expect(maskValue('987-65-4320')).not.toMatch(/\d/)
})

test('a metadata key can be renamed, and dropped columns are listed', () => {
  const choice = {
    ...guessColumns('Card Number', 'customer_id', 'order id', 'shoe size'),
    keys: { customer_id: 'buyer' },
  }
  expect(toImportMapping(choice).metadata).toMatchObject({ buyer: '$customer_id' })
  expect(findSkippedColumns(choice, ['Card Number', 'customer_id', 'order id', 'shoe size'])).toEqual([
    'shoe size',
  ])
  expect(describeProblem({ ...choice, keys: { customer_id: 'order id' } })).toMatch(/order id/)
  expect(describeProblem({ ...choice, keys: { customer_id: '  ' } })).toMatch(/Name every/)
  expect(
    ['metadata', 'id', 'data.number', 'data', undefined].map((each) => isReadable(each as never)),
  ).toEqual([true, true, false, false, false])
})

/** Common headers for a card's expiry in a single column. */
const expiryHeaders =
  `expiry|exp|exp_date|expiration|expiration_date|valid thru|valid_until|good thru|Expiration Date|
ExpDate|Exp. Date|EXP|expires|Expires|Expiry Date|expiryDate|cardExpiry|card_expiry|card_exp|card expiration|
Card Expiration Date|cardExpirationDate|card_expiry_date|cc_exp|cc_expires|ccExpiry|cc-exp|credit_card_expiry|
creditCardExpirationDate|payment_method_expiry|Valid Through|valid_to|validThru|goodThru|good_through|MM/YY|mmyy|
exp_mmyy|Exp (MM/YY)|expiration_month_year|date_of_expiry|card.exp|card_valid_until|payment.card.expiry_date`
    .split('|')
    .map((name) => name.trim())

test("a column with a card's expiry never becomes the expiry of the token", () => {
  expect(expiryHeaders.length).toBeGreaterThanOrEqual(40)
  for (const header of expiryHeaders) {
    const choice = guessColumns('card_number', header, 'customer')
    expect([header, choice.type, choice.targets[header]]).toEqual([header, 'card', 'data.expiration'])
    expect(toImportMapping(choice)).toEqual({
      type: 'card',
      data: {
        number: '$card_number',
        expiration_month: `$${header} | month`,
        expiration_year: `$${header} | year`,
      },
      metadata: { customer: '$customer' },
    })
    // Even without a card number in the file, such a column must not become the expiry of the token.
    expect([header, ...Object.values(guessColumns(header, 'brand').targets)]).not.toContain('expires_at')
  }
})

/** Header lines of files as card services and shops export them. */
const exportHeaders = {
  stripe: 'id,card.number,card.exp_month,card.exp_year,card.name,card.brand,card.address_zip,customer',
  adyen: 'shopperReference,cardNumber,expiryMonth,expiryYear,holderName,paymentMethod,creationDate',
  braintree: 'token,number,expiration_date,cardholder_name,card_type,customer_id',
  braintree_months: 'Credit Card Number,Expiration Month,Expiration Year,Card Type,Customer ID',
  vgs: 'card_number,card_expiration_date,card_security_code,type',
  woocommerce: 'token_id,card_number,expiry_month,expiry_year,card_type,last4,is_default',
  shopify: 'Customer ID,Credit Card Number,Credit Card Expiry Month,Credit Card Expiry Year,Credit Card Name',
  authorize: 'customerProfileId,cardNumber,expirationDate,cardCode',
  magento: 'cc_number,cc_exp_month,cc_exp_year,cc_type,cc_owner',
  spreedly: 'number,month,year,first_name,last_name,verification_value',
}

test.each(Object.entries(exportHeaders))(
  'columns exported by %s map to cards without a token expiry',
  (_, header) => {
    const choice = guessColumns(...header.split(','))
    const { data, expires_at } = toImportMapping(choice)
    expect(Object.keys(data as object)).toEqual(
      expect.arrayContaining(['number', 'expiration_month', 'expiration_year']),
    )
    expect([choice.type, expires_at, describeProblem(choice)]).toEqual(['card', undefined, null])
  },
)

test('no column name gives a card a token expiry by default', () => {
  const word = fc.constantFrom(
    ...[
      'exp',
      'expires',
      'expiry',
      'expires_at',
      'token',
      'card',
      'cc',
      'date',
      'at',
      'valid',
      'until',
      'ttl',
    ],
    ...['month', 'year', 'number', 'pan', 'type', 'data', 'id', 'good', 'thru', 'delete', 'container', 'mm'],
  )
  const header = fc.oneof(
    fc
      .array(word, { minLength: 1, maxLength: 3 })
      .chain((words) => fc.constantFrom('', '_', ' ', '.', '-').map((between) => words.join(between))),
    fc.string({ maxLength: 12 }),
  )
  const isSafe = (choice: Choice) =>
    choice.type !== 'card' || !Object.values(choice.targets).includes('expires_at')
  fc.assert(
    fc.property(fc.uniqueArray(header, { maxLength: 8 }), (columns) => {
      const choice = guessChoice({ columns })
      expect(isSafe(choice) && isSafe(withType(choice, 'card'))).toBe(true)
      // The same holds if the file also has a card number.
      expect(isSafe(guessChoice({ columns: ['card_number', ...columns] }))).toBe(true)
    }),
  )
  expect(guessColumns('id', 'data', 'expires_at').targets.expires_at).toBe('expires_at')
  const chosen = {
    type: 'card',
    container: '',
    targets: { pan: 'data.number', until: 'expires_at' },
  } as const
  expect(toImportMapping(chosen)).toMatchObject({ expires_at: '$until' })
})

test("a card's expiry is guessed from month and year columns, or else from one", () => {
  expect(guessColumns('pan', 'expiry', 'exp_month', 'exp_year').targets).not.toHaveProperty('expiry')
  expect(guessColumns('pan', 'expiry', 'exp_month').targets).toEqual({
    pan: 'data.number',
    expiry: 'data.expiration',
  })
  const both = { pan: 'data.number', expiry: 'data.expiration', month: 'data.expiration_month' } as const
  expect(describeProblem({ type: 'card', container: '', targets: both })).toContain('either one column')
})

test('a column can become a number or a boolean in the data', () => {
  const targets = { age: 'data.* | number', active: 'data.* | boolean' } as const
  expect(toImportMapping({ type: 'token', container: '', targets }).data).toEqual({
    age: '$age | number',
    active: '$active | boolean',
  })
  expect(guessColumns('age | number', 'name').targets).toEqual({ name: 'data.*' })
})

test('created tokens are encoded in a short parameter, and invalid text decodes to none', () => {
  const calls = [
    { first: 1, last: 500, at: 1_790_000_000_000 },
    { first: 501, last: 1000, at: 1_790_000_000_350 },
    { first: 7, last: 7, at: 1_700_000_000_000 },
  ]
  expect(parseCreated(formatCreated(calls))).toEqual(calls)
  expect(formatCreated(calls)).toMatch(/^[\w.-]{1,50}$/)
  for (const text of ['', 'x', '1.2', '1.2.3_', 'all', '1.2.!']) expect(parseCreated(text)).toEqual([])
})
