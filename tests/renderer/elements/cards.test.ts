import { DEFAULT_CARD_TYPES } from '@basis-theory/basis-theory-js/types/elements/cardTypes.js'
import { expect, test } from 'vitest'
import { matchBrands } from '../../../renderer/elements/frame/cards/brand.ts'
import { createExpiryRule, parseExpiry, toExpiryText } from '../../../renderer/elements/frame/cards/expiry.ts'
import { listNetworks, toBinInfo } from '../../../renderer/elements/frame/cards/networks.ts'
import { createNumberRule, toBin } from '../../../renderer/elements/frame/cards/number.ts'
import { defaultCardTypes } from '../../../renderer/elements/frame/cards/types.ts'
import type { FieldRule } from '../../../renderer/elements/frame/field.ts'
import { createCodeRule } from '../../../renderer/elements/frame/field-rule.ts'
import { formatExpiry } from '../../../renderer/elements/frame/values.ts'

const findBrand = (digits: string) => matchBrands(digits, defaultCardTypes).brand?.type ?? 'unknown'
const rule = createNumberRule(defaultCardTypes, false)
const now = new Date(2026, 4, 31)
const expiry = createExpiryRule(now, 19, false)

/** Returns the text of an input after these key presses, with `|` at the caret. `<` is Backspace. */
function typeKeys(by: FieldRule, keys: string, text = '', caret = text.length): string {
  for (const key of keys) {
    const deleting = key === '<'
    const from = deleting ? Math.max(caret - 1, 0) : caret
    const raw = text.slice(0, from) + (deleting ? '' : key) + text.slice(caret)
    const edit = { raw, caret: deleting ? from : caret + 1, deleting, isReplacement: false }
    ;({ text, caret } = by.applyEdit(edit))
  }
  return `${text.slice(0, caret)}|${text.slice(caret)}`
}
const pasteText = (by: FieldRule, raw: string) =>
  by.applyEdit({ raw, caret: raw.length, deleting: false, isReplacement: true }).text

test("card types equal those of the hosted service's packages", () => {
  expect(defaultCardTypes).toEqual(DEFAULT_CARD_TYPES)
})

test('a brand is chosen only once all candidate brands match their full pattern', () => {
  const brands = [
    '',
    '4',
    '41',
    '42',
    '40117',
    '401178',
    '5',
    '51',
    '55',
    '34',
    '3',
    '36',
    '6',
    '6011',
    '62',
    '620',
  ]
  expect(brands.map((digits) => [digits, findBrand(digits)])).toEqual([
    ['', 'unknown'],
    ['4', 'unknown'],
    ['41', 'visa'],
    ['42', 'visa'],
    ['40117', 'unknown'],
    ['401178', 'elo'],
    ['5', 'unknown'],
    ['51', 'mastercard'],
    ['55', 'mastercard'],
    ['34', 'american-express'],
    ['3', 'unknown'],
    ['36', 'diners-club'],
    ['6', 'unknown'],
    ['6011', 'discover'],
    ['62', 'unknown'],
    ['620', 'unionpay'],
  ])
  expect(matchBrands('99', defaultCardTypes)).toEqual({ candidates: [], brand: undefined })
  expect(['2201', '2131', '60628', '606282', '637095', '50000000'].map(findBrand)).toEqual([
    'mir',
    'jcb',
    'unknown',
    'hipercard',
    'hiper',
    'maestro',
  ])
})

test('a card number is grouped by brand while typing, pasting and deleting', () => {
  expect(typeKeys(rule, '4242424242424242')).toBe('4242 4242 4242 4242|')
  expect(typeKeys(rule, '378282246310005')).toBe('3782 822463 10005|')
  expect(typeKeys(rule, '30569309025904')).toBe('3056 930902 5904|')
  expect(typeKeys(rule, '42x4 2-4')).toBe('4242 4|')
  expect(pasteText(rule, '4242-4242.4242 4242 123')).toBe('4242 4242 4242 4242123')
  expect(pasteText(rule, '4242424242424242999999')).toBe('4242 4242 4242 4242999')
  expect(pasteText(rule, '5555555555554444123')).toBe('5555 5555 5555 4444')
  expect(pasteText(rule, '４２４２')).toBe('4242')
  // An edit in the middle of the number does not move the caret to the end.
  expect(typeKeys(rule, '9', '4242 4242', 2)).toBe('429|4 2424 2')
  expect(typeKeys(rule, '<', '4242 4242', 7)).toBe('4242 4|42')
  expect(typeKeys(rule, '<', '4242 4242', 5)).toBe('4242| 4242')
  expect(typeKeys(rule, '<<', '4242 4242', 5)).toBe('424|4 242')
  // The digits are grouped again when the brand changes.
  expect(typeKeys(rule, '<<37', '4242 4242 42', 2)).toBe('37|42 424242')
})

test('a card number is incomplete while it may become valid, and invalid after that', () => {
  const validateNumber = (digits: string, by = rule) => {
    const { problem, maskSatisfied } = by.validate(digits)
    return [digits, problem, maskSatisfied]
  }
  const cases: [string, string | null, boolean][] = [
    ['', 'incomplete', false],
    ['4', 'incomplete', false],
    ['9', 'invalid', false],
    ['4242 4242 4242 4242', null, true],
    ['4242 4242 4242 4241', 'invalid', true],
    ['4242 4242 4242 42421', 'incomplete', false],
    ['378282246310005', null, true],
    ['37828224631000', 'incomplete', false],
    ['6200000000000005', null, true],
    ['6200000000000004', 'invalid', true],
    ['5555555555554444', null, true],
  ]
  expect(cases.map(([digits]) => validateNumber(digits))).toEqual(cases)
  expect(validateNumber('4242424242424241', createNumberRule(defaultCardTypes, true))).toEqual([
    '4242424242424241',
    null,
    true,
  ])
  const visaAlone = createNumberRule(
    defaultCardTypes.filter(({ type }) => type === 'visa'),
    false,
  )
  expect(validateNumber('5555555555554444', visaAlone)).toEqual(['5555555555554444', 'invalid', false])
  expect([toBin('378282246310005'), toBin('4242424242424242')]).toEqual(['378282', '42424242'])
})

test('an expiration date is typed as month and year', () => {
  expect(typeKeys(expiry, '1')).toBe('1|')
  expect(typeKeys(expiry, '12')).toBe('12/|')
  expect(typeKeys(expiry, '1230')).toBe('12/30|')
  expect(typeKeys(expiry, '5')).toBe('05/|')
  expect(typeKeys(expiry, '530')).toBe('05/30|')
  expect(typeKeys(expiry, '1/30')).toBe('01/30|')
  expect(typeKeys(expiry, '12/30')).toBe('12/30|')
  expect(typeKeys(expiry, '12305')).toBe('12/30|')
  expect(typeKeys(expiry, '1230<<')).toBe('12|')
  expect(typeKeys(expiry, '1230<<<')).toBe('1|')
  expect(typeKeys(expiry, '12<<<')).toBe('|')
  expect(typeKeys(expiry, '5<<<')).toBe('|')
  expect(typeKeys(createExpiryRule(now, 19, true), '1230')).toBe('12 / 30|')
})

test('an expiration date can be pasted or autofilled in other forms', () => {
  for (const form of [
    '05/30',
    '5/30',
    '05/2030',
    '5 / 2030',
    '052030',
    '0530',
    '2030-05',
    '05-2030',
    '5.30',
  ]) {
    expect([form, pasteText(expiry, form)]).toEqual([form, '05/30'])
  }
  expect([toExpiryText(5, 2030), toExpiryText('05', '30'), toExpiryText(12, 2031)]).toEqual([
    '05/30',
    '05/30',
    '12/31',
  ])
})

test('an expiration date in the past or too far ahead is invalid', () => {
  const getExpiryProblem = (text: string, maxYears = 19) =>
    createExpiryRule(now, maxYears, false).validate(text).problem
  expect(['', '1', '12', '12/', '12/3'].map((text) => getExpiryProblem(text))).toEqual(
    Array(5).fill('incomplete'),
  )
  expect(['00', '13', '13/30', '04/26', '12/25', '01/46'].map((text) => getExpiryProblem(text))).toEqual(
    Array(6).fill('invalid'),
  )
  expect(['05/26', '06/26', '12/45'].map((text) => getExpiryProblem(text))).toEqual(Array(3).fill(null))
  expect([getExpiryProblem('12/45', 10), getExpiryProblem('12/36', 10)]).toEqual(['invalid', null])
  expect([parseExpiry('05/30'), parseExpiry('05/3')]).toEqual([{ month: 5, year: 2030 }, undefined])
})

test("an expiration date is formatted with Luxon's tokens", () => {
  const formats = [
    'yyyy-MM',
    'MM',
    'M',
    'MM/yyyy',
    'yy',
    'LLyy',
    'MMMM yyyy',
    'MMM',
    'yyyy-MM-dd',
    "MM 'of' yy",
    '/',
  ]
  expect(formats.map((format) => formatExpiry({ month: 4, year: 2025 }, format))).toEqual([
    '2025-04',
    '04',
    '4',
    '04/2025',
    '25',
    '0425',
    'April 2025',
    'Apr',
    '2025-04-01',
    '04 of 25',
    '/',
  ])
  for (const unknown of ['HH', 'yyyyy', 'constructor', 'MM Q']) {
    expect(() => formatExpiry({ month: 4, year: 2025 }, unknown)).toThrow(RangeError)
  }
})

test("a verification code has its brand's length, or three or four digits", () => {
  expect([
    typeKeys(createCodeRule(3), '12345'),
    typeKeys(createCodeRule(4), '12345'),
    typeKeys(createCodeRule(undefined), '12345'),
  ]).toEqual(['123|', '1234|', '1234|'])
  const listCodeProblems = (size: number | undefined) =>
    ['', '12', '123', '1234'].map((text) => createCodeRule(size).validate(text).problem)
  expect(listCodeProblems(undefined)).toEqual(['incomplete', 'incomplete', null, null])
  expect(listCodeProblems(3)).toEqual(['incomplete', 'incomplete', null, 'invalid'])
  expect(listCodeProblems(4)).toEqual(['incomplete', 'incomplete', 'incomplete', null])
})

test('card details list an additional brand only if its BIN range fits the typed digits', () => {
  const details = {
    brand: 'VISA',
    funding: 'debit',
    issuer: { country: 'FR', name: 'A bank' },
    segment: 'consumer',
    binRange: [{ binMin: '42424200', binMax: '42424299' }],
    additional: [
      { brand: 'CARTES_BANCAIRES', funding: 'debit', binRange: [{ binMin: '42424250', binMax: '42424299' }] },
      { brand: 'DANKORT', binRange: [{ binMin: '42424200', binMax: '42424249' }] },
      { funding: 'credit' },
    ],
  }
  const main = {
    brand: 'VISA',
    funding: 'debit',
    issuer: { country: 'FR', name: 'A bank' },
    segment: 'consumer',
  }
  expect(toBinInfo(details, '42424260')).toEqual({
    ...main,
    additional: [{ brand: 'CARTES_BANCAIRES', funding: 'debit' }],
  })
  expect(toBinInfo(details, '424242')?.additional).toHaveLength(2)
  expect(toBinInfo(undefined, '424242')).toBeUndefined()
  expect(toBinInfo({ detail: 'Not Found' }, '424242')).toBeUndefined()
  const info = toBinInfo(details, '42424260')
  expect(listNetworks(info, ['cartes-bancaires'])).toEqual(['visa', 'cartes-bancaires'])
  expect(listNetworks(info, ['dankort'])).toEqual([])
  expect(listNetworks(info, [])).toEqual([])
})
