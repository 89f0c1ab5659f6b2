import { formatCardTerm } from '../../../../shared/card-term.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'
import { bankStatus, bankVerification } from '../../../../shared/schemas/bank.ts'
import { binDetails, binQuery } from '../../../../shared/schemas/bin-details.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { findBankStatus } from '../banks/store.ts'
import { verifyBank } from '../banks/verify.ts'
import { type KnownCards, lookUpKnownBin } from '../cards/bin-lookup.ts'
import { findBinsWithin } from '../cards/store.ts'
import { openData } from '../tokens/read/present.ts'
import { requireToken, toSubject } from '../tokens/read/require-token.ts'

export const bankAccountVerify = defineOperation({
  summary: "Check in the vault's bank directory whether an account accepts ACH transfers",
  route: 'POST /enrichments/bank-account-verify',
  permission: 'token:use',
  entity: 'token',
  effect: 'read',
  refusals: ['not_found'],
  input: bankVerification,
  output: z.object({ status: bankStatus }),
  handler(context, { token_id, country_code = 'US', routing_number }) {
    const row = requireToken(context, token_id)
    context.requireAccess('token:use', toSubject(row), 'any')
    const account = toBankAccount(row.type, openData(context, row), routing_number)
    return {
      status: verifyBank({ ...account, country_code }, (...key) => findBankStatus(context.db, ...key)),
    }
  },
})

export const getCardDetails = defineOperation({
  summary: 'Look up the details of a card by the first six digits of its number',
  route: 'GET /enrichments/card-details',
  permission: 'any-key',
  entity: 'vault',
  input: binQuery,
  output: binDetails,
  handler({ db }, { bin }) {
    const known = lookUpKnownBin(bin, findBinsWithin(db, bin))
    return { ...presentKnownCards(known), additional: known.additional.map(presentKnownCards) }
  },
})

function presentKnownCards({ brand, funding, facts, ranges }: KnownCards) {
  return {
    brand: brand && formatCardTerm(brand),
    funding: funding && formatCardTerm(funding),
    segment: facts?.segment ?? null,
    issuer: { country: facts?.country ?? null, name: facts?.issuer ?? null },
    bin_range: ranges.map(({ from, to }) => ({ bin_min: from, bin_max: to })),
    binRange: ranges.map(({ from, to }) => ({ binMin: from, binMax: to })),
  }
}

/** Returns the account in a token; the routing number is required only with a bare account number (rule B-01). */
function toBankAccount(type: string, data: Json, routing_number: string | undefined) {
  if (type === 'bank' && isObject(data)) {
    if (routing_number !== undefined) {
      throw createInvalidError(
        'routing_number',
        'is only allowed with a token of type us_bank_account_number',
      )
    }
    return { routing_number: String(data.routing_number), account_number: String(data.account_number) }
  }
  if (type !== 'us_bank_account_number') {
    throw createInvalidError('token_id', 'must be the id of a token of type bank or us_bank_account_number')
  }
  if (routing_number === undefined) {
    throw createInvalidError('routing_number', 'is required for a token of type us_bank_account_number')
  }
  return { routing_number, account_number: String(data) }
}
