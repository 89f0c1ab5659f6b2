import type { CardAuthentication, CardBrand, CardFunding } from './brands.ts'

type NetworkRange = { brand: CardBrand; ranges: string; also?: CardBrand }
type TestCards = {
  brand: CardBrand
  funding: CardFunding
  authentication?: CardAuthentication
  numbers: string
}

/**
 * Well-known number ranges of the networks. `private-label` and `proprietary` have none; `ebt` has one BIN
 * a state and no range, of which the one published for California stands here.
 */
export const networkRanges: readonly NetworkRange[] = [
  { brand: 'visa', ranges: '4' },
  { brand: 'mastercard', ranges: '51-55 2221-2720' },
  { brand: 'american-express', ranges: '34 37' },
  { brand: 'diners-club', ranges: '300-305 3095 36 38-39' },
  { brand: 'discover', ranges: '6011 644-649 65' },
  { brand: 'jcb', ranges: '3528-3589' },
  { brand: 'mir', ranges: '2200-2204' },
  { brand: 'unionpay', ranges: '62 8100-8171' },
  { brand: 'unionpay', ranges: '622126-622925 624000-626999 628200-628899', also: 'discover' },
  { brand: 'hipercard', ranges: '606282' },
  { brand: 'ebt', ranges: '507719' },
  {
    brand: 'elo',
    ranges: `401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 509000-509999
      627780 636297 636368 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598
      650700-650718 650720-650727 650901-650978 651652-651679 655000-655019 655021-655058`,
  },
]

/** Card numbers that payment processors publish for tests. */
export const testCards: readonly TestCards[] = [
  {
    brand: 'visa',
    funding: 'credit',
    numbers: '4242424242424242 4111111111111111 4012888888881881',
  },
  { brand: 'visa', funding: 'debit', numbers: '4000056655665556' },
  {
    brand: 'visa',
    funding: 'credit',
    authentication: 'sca_required',
    numbers: '4000002500003155 4000002760003184 4000003800000446 4000000000003220 4000000000003063',
  },
  { brand: 'mastercard', funding: 'credit', numbers: '5555555555554444 2223003122003222' },
  { brand: 'mastercard', funding: 'debit', numbers: '5200828282828210' },
  { brand: 'mastercard', funding: 'prepaid', numbers: '5105105105105100' },
  { brand: 'american-express', funding: 'credit', numbers: '378282246310005 371449635398431' },
  { brand: 'discover', funding: 'credit', numbers: '6011111111111117 6011000990139424' },
  { brand: 'discover', funding: 'debit', numbers: '6011981111111113' },
  {
    brand: 'diners-club',
    funding: 'credit',
    numbers: '3056930009020004 36227206271667 30569309025904 38520000023237',
  },
  { brand: 'jcb', funding: 'credit', numbers: '3566002020360505 3530111333300000' },
  { brand: 'unionpay', funding: 'credit', numbers: '6200000000000005' },
  { brand: 'unionpay', funding: 'debit', numbers: '6200000000000047' },
]
