type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown

/**
 * Reads JSON. A number that a double would write differently, such as `1.0` or one of forty digits, becomes its text, so
 * that it is shown and sent on as it was stored. Browsers that do not tell the source of a number read it as a double.
 */
export function parseExactly(json: string): unknown {
  const reviveNumber: Reviver = (_name, value, context) => {
    const source = context?.source
    return typeof value === 'number' && source !== undefined && String(value) !== source ? source : value
  }
  return JSON.parse(json, reviveNumber)
}
