/** The headers that take a key: that of the interface, and that of the official clients (rule A-01). */
export const securitySchemes = {
  key: { type: 'apiKey', in: 'header', name: 'SVC-API-KEY' },
  sdk_key: { type: 'apiKey', in: 'header', name: 'BT-API-KEY' },
} as const

/** The security of an operation that needs a key, in either header. */
export const needsKey = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
