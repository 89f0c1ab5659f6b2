import { invalid } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { bankStatus, bankVerification } from '../../../shared/schemas/bank.ts'
import { binAsked, binDetails } from '../../../shared/schemas/bin-details.ts'
import { z } from '../../../shared/zod.ts'
import { findBankStatus } from '../banks/store.ts'
import { verifyBank } from '../banks/verify.ts'
import { type KnownCards, lookUpBin } from '../cards/bin-lookup.ts'
import { capitalized } from '../cards/brands.ts'
import { findBinsWithin } from '../cards/store.ts'
import { operation } from '../door/operation.ts'
import { openData } from '../tokens/read/present.ts'
import { requireToken, subjectOf } from '../tokens/read/require-token.ts'

export const bankAccountVerify = operation({
  summary: "Check in this vault's directory whether a bank account takes ACH transfers",
  route: 'POST /enrichments/bank-account-verify',
  permission: 'token:use',
  entity: 'token',
  effect: 'read',
  status: 200,
  refusals: ['not_found'],
  input: bankVerification,
  output: z.object({ status: bankStatus }),
  handler(context, { token_id, country_code = 'US', routing_number }) {
    const row = requireToken(context, token_id)
    context.require('token:use', subjectOf(row), 'any')
    const account = accountOf(row.type, openData(context, row), routing_number)
    return {
      status: verifyBank({ ...account, country_code }, (...key) => findBankStatus(context.db, ...key)),
    }
  },
})

export const getCardDetails = operation({
  summary: 'Look up what is known of the first six digits of card numbers',
  route: 'GET /enrichments/card-details',
  permission: 'any-key',
  entity: 'vault',
  effect: 'read',
  status: 200,
  input: binAsked,
  output: binDetails,
  handler({ db }, { bin }) {
    const known = lookUpBin(bin, findBinsWithin(db, bin))
    return { ...shownCards(known), additional: known.additional.map(shownCards) }
  },
})

function shownCards({ brand, funding, ranges }: KnownCards) {
  return {
    brand: brand && capitalized(brand),
    funding: funding && capitalized(funding),
    // No table of Coffer's knows these.
    segment: null,
    issuer: { country: null, name: null },
    bin_range: ranges.map(({ from, to }) => ({ bin_min: from, bin_max: to })),
    binRange: ranges.map(({ from, to }) => ({ binMin: from, binMax: to })),
  }
}

/** The account in a token, with the routing number that only a bare account number needs (rule B-01). */
function accountOf(type: string, data: Json, routing_number: string | undefined) {
  if (type === 'bank' && isObject(data)) {
    if (routing_number !== undefined) {
      throw invalid('routing_number', 'goes only with a token of type us_bank_account_number')
    }
    return { routing_number: String(data.routing_number), account_number: String(data.account_number) }
  }
  if (type !== 'us_bank_account_number') {
    throw invalid('token_id', 'must name a token of type bank or us_bank_account_number')
  }
  if (routing_number === undefined) {
    throw invalid('routing_number', 'is required for a token of type us_bank_account_number')
  }
  return { routing_number, account_number: String(data) }
}
