import type { AccountUpdaterResult } from '../../../../shared/schemas/account-updater.ts'

/** What the account updater knows of a card (rule Z-03). */
type CardUpdate = {
  readonly result_code: AccountUpdaterResult
  /** The new number and expiry, as far as they change; absent if there is no new token. */
  readonly update?: {
    readonly number?: string
    readonly expiration_month?: number
    readonly expiration_year?: number
  }
}

const december = { expiration_month: 12, expiration_year: 2026 }
const renewed: CardUpdate = { result_code: 'UPD_EXP_DATE', update: december }

function replaceNumber(number: string, expiry = {}): CardUpdate {
  return { result_code: 'UPD_PAN', update: { number, ...expiry } }
}

/** The test cards that the hosted service documents, whatever their expiry. */
const scenarios: Readonly<Record<string, CardUpdate>> = {
  '4111111111111111': replaceNumber('4166676667666746'),
  '4012888888881881': replaceNumber('4212345678910006', december),
  '5555555555554444': replaceNumber('5454545454545454'),
  '5105105105105100': replaceNumber('5233580618829955', december),
  '6011111111111117': replaceNumber('6011000990139424'),
  '6011601160116611': replaceNumber('6445644564456445', december),
  '378282246310005': replaceNumber('375155165213132'),
  '371449635398431': replaceNumber('348835199015504', december),
  '4539097887163333': renewed,
  '5325191087030619': renewed,
  '6011690151507086': renewed,
  '373555735376156': renewed,
  '6011760519541711': { result_code: 'UPD_BRAND_CONV' },
  '6011490740263725': { result_code: 'UPD_CORRECTED' },
  '4929980395567582': { result_code: 'WRN_CONTACT_CARDHOLDER' },
  '6011444770992901': { result_code: 'WRN_CONTACT_CARDHOLDER' },
  '4929544240318920': { result_code: 'WRN_ISSUER_NOT_ENROLLED' },
  '5580422612666704': { result_code: 'WRN_ISSUER_NOT_ENROLLED' },
  '4916725297925395': { result_code: 'WRN_ISSUER_NO_DATA' },
  '5157204564548129': { result_code: 'WRN_ISSUER_NO_DATA' },
  '4035501000000008': { result_code: 'WRN_OPT_OUT' },
  '5461310156953048': { result_code: 'WRN_CLOSED_ACCOUNT' },
  '6011168802268945': { result_code: 'WRN_CLOSED_ACCOUNT' },
  '370488998077498': { result_code: 'WRN_CLOSED_ACCOUNT' },
  '4035501428146300': { result_code: 'ERR_INVALID_PAN' },
  '5555341244441115': { result_code: 'ERR_INVALID_PAN' },
  '6011829379808385': { result_code: 'ERR_INVALID_PAN' },
  '378025849667382': { result_code: 'ERR_INVALID_PAN' },
  '4111111145551142': { result_code: 'ERR_INVALID_EXP_DATE' },
  '5577000055770004': { result_code: 'ERR_INVALID_EXP_DATE' },
  '6011648103759866': { result_code: 'ERR_INVALID_EXP_DATE' },
  '378734493671000': { result_code: 'ERR_INVALID_EXP_DATE' },
  '4111112014267661': { result_code: 'ERR_INVALID_CONFIG' },
  '5555444433331111': { result_code: 'ERR_INVALID_CONFIG' },
  '370000000000002': { result_code: 'ERR_INVALID_CONFIG' },
  '6011178332216017': { result_code: 'ERR_UNDEFINED' },
}

/** Visa and Mastercard, the only networks in real time. */
const inRealTime = /^(4|5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/
/** American Express and Discover, which only jobs reach. */
const inJobs = /^(3[47]|6011|64[4-9]|65)/

/** Returns what the account updater answers for a card; every card without a scenario is up to date. */
export function findCardUpdate(number: string, mode: 'real-time' | 'job'): CardUpdate {
  const isReached = inRealTime.test(number) || (mode === 'job' && inJobs.test(number))
  if (!isReached) return { result_code: 'WRN_UNSUPPORTED_NETWORK' }
  return scenarios[number] ?? { result_code: 'NO_UPDATE' }
}
