import type { Operations } from '../electron/engine/operations.ts'
import type { Client } from '../shared/client.ts'

/** The browser data of the official web client. */
export const browser = {
  browser_javascript_enabled: true,
  browser_java_enabled: false,
  browser_language: 'en-GB',
  browser_color_depth: '24',
  browser_screen_height: '1080',
  browser_screen_width: '1920',
  browser_tz: '-60',
  browser_user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
}

/** A payment to authenticate. */
export const payment = {
  authentication_category: 'payment' as const,
  authentication_type: 'payment-transaction' as const,
  merchant_info: {
    mid: '9876543210001',
    acquirer_bin: '000000999',
    name: 'Ada’s <shop>',
    url: 'https://shop.example.com',
    country_code: '826',
    category_code: '7922',
  },
  purchase_info: {
    amount: '80000',
    currency: '826',
    exponent: '2',
    date: '20300101141010',
    transaction_type: 'purchase' as const,
  },
  cardholder_info: { name: 'Ada Lovelace', email: 'ada@example.com' },
}

type Wanted = { readonly pan?: string; readonly isIntent?: boolean; readonly more?: object }

/** Creates a session for a card. Returns its id. */
export async function createThreeDsClient(
  owner: Client<Operations>,
  { pan = '4000020000000000', isIntent = false, more = {} }: Wanted = {},
): Promise<string> {
  const card = { type: 'card', data: { number: pan, expiration_month: 12, expiration_year: 2035 } }
  const of = isIntent
    ? { token_intent_id: (await owner.tokenIntents.create(card)).id }
    : { token_id: (await owner.tokens.create(card)).id }
  const { id } = await owner.threeDs.create({ ...of, device: 'browser', device_info: browser, ...more })
  return id
}
