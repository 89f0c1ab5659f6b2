import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLuhnValid } from '../../shared/luhn.ts'
import { evaluateFilters } from './evaluate-filters.ts'

const dashed = '3622-7206-2716-5567'

describe('masking', () => {
  it('E-03 reveal_last masks spaces and all but the last n, and keeps dashes', () => {
    expect(evaluateFilters('reveal_last: 4', '123-45-6789')).toBe('XXX-XX-6789')
    expect(evaluateFilters('reveal_last: 4', '12 34 5678')).toBe('XXXXXX5678')
    expect(evaluateFilters("reveal_last: 4, '$'", '12345678')).toBe('$$$$5678')
    expect(evaluateFilters("reveal_last: 4, '$'", '1234-5678')).toBe('$$$$-5678')
    expect(evaluateFilters('reveal_last: 0', '1234')).toBe('XXXX')
    expect(evaluateFilters("reveal_last: n: 2, char: '*'", '1234')).toBe('**34')
  })

  it('E-03 reveal_last does not mask a value of at most n characters', () => {
    expect(evaluateFilters('reveal_last: 4', '1234')).toBe('1234')
    expect(evaluateFilters('reveal_last: 4', '12')).toBe('12')
    expect(evaluateFilters('reveal_last: 4', '')).toBe('')
  })

  it('E-03 reveal_last accepts numbers and never splits characters', () => {
    expect(evaluateFilters('reveal_last: 4', 123456789)).toBe('XXXXX6789')
    expect(evaluateFilters("reveal_last: 2, '😀'", '😀😀😀😀')).toBe('😀😀😀😀')
    expect(evaluateFilters('reveal_last: 1', 'ab-😀-c')).toBe('XX-X-c')
    expect(evaluateFilters('reveal_last: 1', { a: 'secret' })).toBe('XXXXXXXXXXXXX}')
  })

  it('E-03 reveal_last reveals nothing before the last n', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(8), (text, n) => {
        const characters = Array.from(text)
        const masked = Array.from(evaluateFilters(`reveal_last: ${n}, '•'`, text) as string)
        const hidden = Math.max(0, characters.length - n)
        const expected = characters.map((each, at) =>
          at >= hidden || each === '-' || characters.length <= n ? each : '•',
        )
        expect(masked).toEqual(expected)
      }),
    )
  })

  it('E-04 reveal masks the middle except the characters in keep', () => {
    expect(evaluateFilters("reveal: 7, 4, '#', '-'", dashed)).toBe('3622-72##-####-5567')
    expect(evaluateFilters('reveal: 7, 5', dashed)).toBe('3622-72XXXXXXX-5567')
    expect(evaluateFilters("reveal: 1, 1, '*', '.]^'", 'a.b]c^d')).toBe('a.*]*^d')
    expect(evaluateFilters('reveal', '1234')).toBe('XXXX')
  })

  it('E-04 reveal masks everything when otherwise nothing would be masked', () => {
    expect(evaluateFilters('reveal: 10, 9', dashed)).toBe('X'.repeat(19))
    expect(evaluateFilters("reveal: 4, 4, '#', '-'", '1-2')).toBe('###')
    expect(evaluateFilters("reveal: 1, 1, '#', '-'", '1--2')).toBe('####')
  })

  it('E-05 card_mask reveals the BIN and last four if requested', () => {
    expect(evaluateFilters("card_mask: 'false', 'false', 'X', '-'", dashed)).toBe('XXXX-XXXX-XXXX-XXXX')
    expect(evaluateFilters("card_mask: 'true', 'false', 'X', '-'", dashed)).toBe('3622-7206-XXXX-XXXX')
    expect(evaluateFilters("card_mask: 'true', 'true', '#', '-'", dashed)).toBe('3622-7206-####-5567')
    expect(evaluateFilters('card_mask: true, true', '4242424242424242')).toBe('42424242XXXX4242')
    expect(evaluateFilters('card_mask: last4: true', { number: '378282246310005' })).toBe('XXXXXXXXXXX0005')
    expect(evaluateFilters('card_mask: true, true', '378282246310005')).toBe('378282XXXXX0005')
  })

  it('E-05 card_mask hides all of a too short or long number', () => {
    expect(evaluateFilters('card_mask: true, true', '1234567890')).toBe('XXXXXXXXXX')
    expect(evaluateFilters('card_mask: true, true', '123456-7890')).toBe('XXXXXXXXXXX')
    expect(evaluateFilters('card_mask: true, true', '4'.repeat(101))).toBe('X'.repeat(101))
    expect(evaluateFilters('card_mask: true, true', '')).toBe('')
  })

  it('E-05 card_bin returns 6 digits of a number with fewer than 16, else 8', () => {
    expect(evaluateFilters('card_bin', '4242424242424242')).toBe('42424242')
    expect(evaluateFilters('card_bin', '378282246310005')).toBe('378282')
    expect(evaluateFilters("card_bin: '-'", '4242-4242-4242-4242')).toBe('42424242')
  })

  it.each([
    ['MM', '04'],
    ['MMYY', '0430'],
    ['YYYY', '2030'],
    ['YYYY-MM', '2030-04'],
    ['MM/YY', '04/30'],
    ['MM/YYYY', '04/2030'],
    ['MM_YYYY', '04_2030'],
    ['MM-YYYY', '04-2030'],
    ['YYYY/MM', '2030/04'],
  ])('E-05 card_exp writes %s', (format, expected) => {
    expect(evaluateFilters(`card_exp: '${format}'`, { expiration_month: 4, expiration_year: 2030 })).toBe(
      expected,
    )
    expect(evaluateFilters(`card_exp: '${format}'`, { expiration_month: '4', expiration_year: '2030' })).toBe(
      expected,
    )
    expect(evaluateFilters(`card_exp: '${format}'`, { number: '4242' })).toBe(null)
  })

  it('E-06 alias_card keeps the format and never returns a valid card number', () => {
    for (let round = 0; round < 200; round++) {
      const alias = String(evaluateFilters("alias_card: 'true', 'true'", dashed))
      expect(alias).toMatch(/^3622-7206-\d{4}-5567$/)
      expect(isLuhnValid(alias.replaceAll('-', ''))).toBe(false)
      expect(evaluateFilters('alias_card', { number: '4242 4242 4242 4242' })).toMatch(
        /^\d{4} \d{4} \d{4} \d{4}$/,
      )
    }
  })

  it('E-06 alias_card rejects text that is no card, and revealing all digits', () => {
    for (const data of ['4242abcd42424242', '1234567890', '', '4'.repeat(101)]) {
      expect(() => evaluateFilters("alias_card: 'true', 'true'", data)).toThrow('alias_card a card number')
    }
  })

  it('E-06 alias_preserve_format keeps each character’s class', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const toShape = (each: string) =>
          each
            .replace(/\p{Nd}/gu, '9')
            .replace(/\p{Lu}/gu, 'A')
            .replace(/(?!A)\p{L}/gu, 'a')
        expect(toShape(String(evaluateFilters('alias_preserve_format', text)))).toBe(toShape(text))
      }),
    )
    expect(evaluateFilters('alias_preserve_format: 2, 2', 'AB-12-cd')).toMatch(/^AB-\d{2}-cd$/)
  })

  it('E-06 alias_preserve_length keeps the number of characters', () => {
    expect(evaluateFilters('alias_preserve_length', '12 34-😀')).toMatch(/^[A-Za-z0-9]{7}$/)
    expect(evaluateFilters('alias_preserve_length: 3, 2', 'ABC12345')).toMatch(/^ABC[A-Za-z0-9]{3}45$/)
  })

  it('E-06 an alias is new each time and differs from the value', () => {
    for (const filter of [
      'alias_preserve_format: 20, 20',
      'alias_preserve_length: 20, 20',
      'alias_preserve_length',
    ]) {
      const aliases = Array.from({ length: 20 }, () => evaluateFilters(filter, 'secret value 42'))
      expect(new Set([...aliases, 'secret value 42']).size).toBe(21)
    }
  })

  it('E-06 alias_preserve_format returns every digit about equally often', () => {
    const digits = String(evaluateFilters('alias_preserve_format', '0'.repeat(20_000)))
    const counts = Array.from({ length: 10 }, (_, digit) => digits.split(String(digit)).length - 1)
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(300)
  })
})
