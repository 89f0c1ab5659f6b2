import type { CardType } from '../../protocol.ts'

const defaultGaps = [4, 8, 12]

/** `patterns` are the beginnings of numbers, single ones and ranges such as `51-55`, with spaces between them. */
function createCardType(
  niceType: string,
  name: string,
  code: [name: string, size: number],
  lengths: readonly number[],
  patterns: string,
  gaps: readonly number[] = defaultGaps,
): CardType {
  const parsed = patterns.split(/\s+/).map((pattern) => {
    const [low = 0, high] = pattern.split('-').map(Number)
    return high === undefined ? low : ([low, high] as const)
  })
  return { niceType, type: name, patterns: parsed, gaps, lengths, code: { name: code[0], size: code[1] } }
}

const unionPay = `620 62100-62182 62184-62187 62185-62197 62200-62205 622010-622999 622018 62207-62209 623-626
  6270 6272 6276 627700-627779 627781-627799 6282-6289 6291 6292 810 8110-8131 8132-8151 8152-8163 8164-8171`
const elo = `401178 401179 438935 457631 457632 431274 451416 457393 504175 506699-506778 509000-509999 627780
  636297 636368 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727
  650901-650978 651652-651679 655000-655019 655021-655058`
const maestro = '493698 500000-504174 504176-506698 506779-508999 56-59 63 67 6'
const hiper = '637095 63737423 63743358 637568 637599 637609 637612'

/** The same as `DEFAULT_CARD_TYPES` in the hosted service's packages. */
export const defaultCardTypes: readonly CardType[] = [
  createCardType('Visa', 'visa', ['CVV', 3], [16, 18, 19], '4'),
  createCardType('Mastercard', 'mastercard', ['CVC', 3], [16], '51-55 2221-2229 223-229 23-26 270-271 2720'),
  createCardType('American Express', 'american-express', ['CID', 4], [15], '34 37', [4, 10]),
  createCardType('Diners Club', 'diners-club', ['CVV', 3], [14, 16, 19], '300-305 36 38 39', [4, 10]),
  createCardType('Discover', 'discover', ['CID', 3], [16, 19], '6011 644-649 65'),
  createCardType('JCB', 'jcb', ['CVV', 3], [16, 17, 18, 19], '2131 1800 3528-3589'),
  createCardType('UnionPay', 'unionpay', ['CVN', 3], [14, 15, 16, 17, 18, 19], unionPay),
  createCardType('Maestro', 'maestro', ['CVC', 3], [12, 13, 14, 15, 16, 17, 18, 19], maestro),
  createCardType('Elo', 'elo', ['CVE', 3], [16], elo),
  createCardType('Mir', 'mir', ['CVP2', 3], [16, 17, 18, 19], '2200-2204'),
  createCardType('Hiper', 'hiper', ['CVC', 3], [16], hiper),
  createCardType('Hipercard', 'hipercard', ['CVC', 3], [16], '606282'),
]
