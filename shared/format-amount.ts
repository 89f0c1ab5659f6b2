/** Currency codes by ISO number; other currencies are shown by their number. */
const names: Readonly<Record<string, string>> = {
  '036': 'AUD',
  '124': 'CAD',
  '156': 'CNY',
  '208': 'DKK',
  '344': 'HKD',
  '356': 'INR',
  '392': 'JPY',
  '484': 'MXN',
  '554': 'NZD',
  '578': 'NOK',
  '702': 'SGD',
  '710': 'ZAR',
  '752': 'SEK',
  '756': 'CHF',
  '826': 'GBP',
  '840': 'USD',
  '978': 'EUR',
  '985': 'PLN',
  '986': 'BRL',
}

type Purchase = { readonly amount: string; readonly currency: string; readonly exponent: string }

/** Formats an amount, given in the smallest unit of its currency, as in `800.00 GBP`. */
export function formatAmount({ amount, currency, exponent }: Purchase): string {
  const places = Number(exponent)
  const digits = amount.padStart(places + 1, '0')
  const integer = digits.slice(0, digits.length - places).replace(/^0+(?=\d)/, '')
  const rest = places > 0 ? `.${digits.slice(-places)}` : ''
  return `${integer}${rest} ${names[currency] ?? `(currency ${currency})`}`
}
