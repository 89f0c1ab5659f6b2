import type { CardAuthentication, CardBrand, CardFunding } from './brands.ts'

type NetworkRange = { brand: CardBrand; ranges: string; also?: CardBrand }
type TestCards = {
  brand: CardBrand
  funding: CardFunding
  authentication?: CardAuthentication
  issuer?: string
  country: string
  numbers: string
}

/**
 * Well-known number ranges of the networks. `private-label` and `proprietary` have none. `ebt` has one BIN per state
 * instead of a range; only the BIN published for California is listed.
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

/** The issuer and country of the cards of 3D Secure scenarios. */
const threeDs = { issuer: '3DS Test Cards (TEST)', country: 'PL' }

/**
 * Card numbers and ranges with fixed details (rule T-16), including the cards of 3D Secure scenarios. The countries are
 * those of the hosted service, which names none for the last range of Discover and the long numbers of Mastercard.
 */
export const testCards: readonly TestCards[] = [
  {
    brand: 'visa',
    funding: 'credit',
    authentication: 'sca_required',
    country: 'BM',
    numbers: '4242424242424242',
  },
  { brand: 'mastercard', funding: 'credit', country: 'TR', numbers: '5555555555550000-5555555555560000' },
  { brand: 'mastercard', funding: 'credit', country: 'US', numbers: '2720394612465072' },
  { brand: 'american-express', funding: 'credit', country: 'FO', numbers: '378282246310000-378282246310010' },
  { brand: 'visa', funding: 'credit', country: 'CL', numbers: '4000056655665550-4000056655665559' },
  { brand: 'unionpay', funding: 'credit', country: 'SJ', numbers: '6200000000000000-6200000000000009' },
  { brand: 'discover', funding: 'debit', country: 'BM', numbers: '6011010000000000-6011010000000005' },
  { brand: 'discover', funding: 'debit', country: 'US', numbers: '6011981111111113' },
  { brand: 'jcb', funding: 'debit', country: 'BM', numbers: '3566002020360504-3566002020360506' },
  { brand: 'jcb', funding: 'debit', country: 'US', numbers: '3530111333300000' },
  // The hosted service reports another network's brand for these.
  { brand: 'visa', funding: 'debit', country: 'BM', numbers: '378282246310011-378282246310020' },
  { brand: 'visa', funding: 'debit', country: 'BM', numbers: '4005550000081018-4005550000081020' },
  {
    brand: 'mastercard',
    funding: 'debit',
    country: 'BM',
    numbers: '5112000400000000-5112000400000001 5112010000000003-5112010100000002',
  },
  { brand: 'mastercard', funding: 'debit', country: 'US', numbers: '5200828282828210' },
  { brand: 'discover', funding: 'credit', country: 'BM', numbers: '6011000990139420-6011000990139430' },
  {
    brand: 'discover',
    funding: 'credit',
    country: 'US',
    numbers: '6011000995500000 6011111111111110-6011111111111120',
  },
  {
    brand: 'mastercard',
    funding: 'debit',
    country: 'US',
    numbers: '5589092000000000006 5589620000000000007',
  },
  {
    brand: 'visa',
    funding: 'credit',
    ...threeDs,
    numbers: `4000020000000000 4005562231212123 4761369980320253 4000000000000341 4005571701111111
      4055011111111111 4111111111111111 4264281511112228 4264281500003339 4264281500001119`,
  },
  {
    brand: 'mastercard',
    funding: 'credit',
    ...threeDs,
    numbers: `5204247750001471 5200000000001104 5427660064241339 5424180011113336 5424180000000171
      5405001111111165 5405001111111116 5424180011110001`,
  },
  { brand: 'american-express', funding: 'credit', ...threeDs, numbers: '340000000004001 370000000000002' },
  {
    brand: 'discover',
    funding: 'credit',
    ...threeDs,
    numbers: '6011361011110004 6011361000008888 6011361000001115',
  },
  { brand: 'jcb', funding: 'credit', ...threeDs, numbers: '3566006663297692' },
]
