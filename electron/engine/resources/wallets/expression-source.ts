import { isObject } from '../../../../shared/json.ts'
import type { ExpressionSource } from '../expression-source.ts'
import { Payments, toSubject } from './payments.ts'
import type { Wallet } from './wallet.ts'

/** `{{ apple_pay: <id> }}` and `{{ google_pay: <id> }}` (rule Z-02). */
export function defineWalletSource(wallet: Wallet): ExpressionSource {
  const payments = new Payments(wallet)
  return (context, id) => {
    const row = payments.findPayment(context, id.toLowerCase())
    if (!row) return undefined
    return {
      id: row.id,
      subject: toSubject(row.id),
      size: row.content.length,
      openData: () => payments.openData(context, row),
      presentValue(_data, transform, work) {
        const payment = payments.toPayment(context, row, transform, work)
        const { data = null, authentication } = payment
        // The guides of Google Pay read the cryptogram at `$.data.authentication`.
        return { ...payment, ...(isObject(data) && { data: { ...data, authentication } }) }
      },
      requireReading: () => payments.requireReading(context, row.id),
    }
  }
}
