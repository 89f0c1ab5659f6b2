import { CofferError } from '../../../../shared/errors.ts'

/** Why a network refuses a card: the title that the hosted service documents, and what it means. */
const details = {
  PROVISION_DATA_EXPIRED: 'The data of the card has expired. Try again with its new data.',
  CARD_VERIFICATION_FAILED: 'The network could not verify the card. Try again with its new data.',
  CARD_NOT_ELIGIBLE: 'The card is not eligible for network tokens.',
  CARD_NOT_ALLOWED: 'The issuer does not allow network tokens for this card.',
  CARD_DECLINED: 'The issuer declined to create a network token for this card.',
  PROVISION_NOT_ALLOWED: 'The network does not allow a network token for this card.',
  CARD_ELIGIBILITY_ERROR: 'The network could not determine whether the card is eligible. Try again once.',
  CARD_NUMBER_LENGTH_INVALID: 'The number of the card must have 13 to 16 digits.',
  CARD_DATA_MISSING: 'A token of type card is needed, and an expiration date in it or in the request.',
} as const
type Refusal = keyof typeof details

/** Returns the error for a card that gets no network token. */
export function createRefusal(title: Refusal): CofferError {
  return new CofferError('network_token_refused', details[title], { title })
}

/** The test cards that the hosted service documents: of Visa, Mastercard, Discover and American Express. */
const scenarios: readonly (readonly [Refusal, numbers: string])[] = [
  ['PROVISION_DATA_EXPIRED', '4012888888881881 5105105105105100 6011601160116611 371449635398431'],
  ['CARD_VERIFICATION_FAILED', '4330251207506660 5461310156953048 6011168802268945 370488998077498'],
  ['CARD_NOT_ELIGIBLE', '4539097887163333 5325191087030619 6011690151507086 373555735376156'],
  ['CARD_NOT_ALLOWED', '4929980395567582 5580422612666704 6011444770992901 378025849667382'],
  ['CARD_DECLINED', '4929544240318920 5157204564548129 6011760519541711 348322853530243'],
  ['PROVISION_NOT_ALLOWED', '4916725297925395 5336475987107024 6011490740263725 375155165213132'],
  ['CARD_ELIGIBILITY_ERROR', '4711358892785746 5233580618829955 6011000990139424 348835199015504'],
]

/** Returns why a card gets no network token; undefined for every card without a scenario. */
export function findRefusal(number: string): Refusal | undefined {
  return scenarios.find(([, numbers]) => numbers.split(' ').includes(number))?.[0]
}
