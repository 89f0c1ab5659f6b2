import { CofferError } from '../../../../shared/errors.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import { nothing, optionalField } from '../../../../shared/schemas/common.ts'
import { moment } from '../../../../shared/schemas/moment.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'

const text = z.string().max(100_000)

/** A payment token as the browser receives it: signed, and encrypted with a key that Coffer does not have. */
const paymentData = z.lazy(() =>
  z.looseObject({
    protocolVersion: optionalField(text),
    signature: optionalField(text),
    intermediateSigningKey: optionalField(
      z.looseObject({ signedKey: optionalField(text), signatures: optionalField(z.array(text).max(100)) }),
    ),
    signedMessage: optionalField(text),
  }),
)

export const create = defineOperation({
  summary: 'Always rejects a Google Pay token, because Coffer has no key to decrypt it',
  route: 'POST /google-pay',
  permission: 'google-pay:create',
  entity: 'token',
  effect: 'read',
  status: 201,
  always: 'google_pay_refused',
  input: z.strictObject({
    google_payment_data: paymentData,
    expires_at: optionalField(moment),
    merchant_registration_id: optionalField(z.string().max(200)),
  }),
  output: nothing,
  handler({ now }, { expires_at }) {
    if (expires_at !== undefined) parseExpiresAt(expires_at, now, 'expires_at')
    throw new CofferError(
      'google_pay_refused',
      'Failed to process the Google Pay token; the token payload is invalid or malformed. Coffer has no Google Pay key, so it rejects every payload.',
    )
  },
})
