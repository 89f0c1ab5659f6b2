type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown

/**
 * Parses JSON. A number that JavaScript would write differently, such as `1.0` or a number with forty digits,
 * becomes its source text, so that it is displayed and forwarded as stored. In browsers that do not expose
 * the source text of numbers, such a number becomes a double.
 */
export function parseExactly(json: string): unknown {
  const reviveNumber: Reviver = (_name, value, context) => {
    const source = context?.source
    return typeof value === 'number' && source !== undefined && String(value) !== source ? source : value
  }
  return JSON.parse(json, reviveNumber)
}
