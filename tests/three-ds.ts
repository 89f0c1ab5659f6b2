import type { Operations } from '../electron/engine/operations.ts'
import type { Client } from '../shared/client.ts'
import { payment as example } from '../shared/example-payment.ts'

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

/** A payment to authenticate, at a merchant whose name HTML must escape. */
export const payment = {
  ...example,
  merchant_info: { ...example.merchant_info, name: 'Ada’s <shop>' },
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
