/** The device on which a cardholder is verified. */
export const device_context = {
  screen_height: 1080,
  screen_width: 1920,
  user_agent_string: 'Mozilla/5.0',
  language_code: 'en-US',
  time_zone: 'Europe/Berlin',
  java_script_enabled: true,
  client_device_id: 'device-1',
  client_reference_id: 'reference-1',
  platform_type: 'WEB',
} as const

/** The browser of a cardholder in a 3D Secure session. */
export const device_info = {
  browser_javascript_enabled: true,
  browser_java_enabled: false,
  browser_language: 'en-GB',
  browser_color_depth: '24',
  browser_screen_height: '1080',
  browser_screen_width: '1920',
  browser_tz: '0',
  browser_user_agent: 'Mozilla/5.0',
}

/** A request to authenticate a payment. */
export const payment = {
  authentication_category: 'payment',
  authentication_type: 'payment-transaction',
  merchant_info: {
    mid: '9876543210001',
    acquirer_bin: '000000999',
    name: 'Shop',
    url: 'https://shop.example.com',
    country_code: '826',
    category_code: '7922',
  },
  purchase_info: {
    amount: '80000',
    currency: '826',
    exponent: '2',
    date: '20300101141010',
    transaction_type: 'purchase',
  },
  cardholder_info: { name: 'Ada Lovelace', email: 'ada@example.com' },
} as const
