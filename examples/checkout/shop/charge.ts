import type { BasisTheory } from '@basis-theory/node-sdk'
import type { Order } from './orders.ts'
import { product } from './product.ts'
import type { Vault } from './vault.ts'

/** The members of a request to the payment provider that pay for an order. The vault replaces expressions in them. */
export type PaymentSource = Readonly<Record<'card' | 'three_d_secure', Record<string, string | undefined>>>

/** A payment with the card of a token, after 3D Secure. */
export function payWithToken({
  tokenId,
  authenticationValue,
  eci,
  dsTransactionId,
}: BasisTheory.ThreeDsAuthentication): PaymentSource {
  return {
    card: {
      number: `{{ ${tokenId} | json: '$.number' }}`,
      exp_month: `{{ ${tokenId} | json: '$.expiration_month' }}`,
      exp_year: `{{ ${tokenId} | json: '$.expiration_year' }}`,
      cvc: `{{ ${tokenId} | json: '$.cvc' }}`,
    },
    three_d_secure: { cryptogram: authenticationValue, eci, transaction_id: dsTransactionId },
  }
}

/** A payment with a wallet, which has authenticated the cardholder itself. `stored` names it in expressions. */
export function payWithWallet(stored: string): PaymentSource {
  return {
    card: {
      number: `{{ ${stored} | json: '$.data.number' }}`,
      exp_month: `{{ ${stored} | json: '$.data.expiration_month' }}`,
      exp_year: `{{ ${stored} | json: '$.data.expiration_year' }}`,
    },
    three_d_secure: {
      cryptogram: `{{ ${stored} | json: '$.authentication.threeds_cryptogram' }}`,
      eci: `{{ ${stored} | json: '$.authentication.eci_indicator' }}`,
    },
  }
}

/**
 * Charges a card at the payment provider, through a proxy of the vault, which inserts the card. The order's id is the
 * trace id of the call, so that the vault's webhook identifies the order.
 */
export async function charge(
  vault: Vault,
  order: Order,
  source: PaymentSource,
): Promise<'accepted' | 'declined'> {
  const response = await fetch(`${vault.url}/proxy/v1/payments`, {
    method: 'POST',
    headers: {
      'BT-API-KEY': vault.privateKey,
      'BT-PROXY-URL': 'https://api.payments.example',
      'BT-TRACE-ID': order.id,
      Authorization: 'Bearer sk_test_shop',
      'Content-Type': 'application/json',
      'Idempotency-Key': order.id,
    },
    body: JSON.stringify({
      amount: product.price,
      currency: product.currency,
      reference: order.id,
      ...source,
    }),
  })
  // Without this header, the response is from the proxy and not from the provider.
  const status = Number(response.headers.get('BT-PROXY-DESTINATION-STATUS'))
  if (status === 201) return 'accepted'
  if (status === 402) return 'declined'
  throw new Error(`The payment provider cannot be reached: ${response.status}`)
}
