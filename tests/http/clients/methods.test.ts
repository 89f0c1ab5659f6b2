import { BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { startMatrixServer } from './matrix/matrix-server.ts'
import { formatMethods, readMethods, writeMethods } from './methods/methods-table.ts'
import { observeMethods } from './methods/observe.ts'
import { scenarios } from './methods/scenarios.ts'
import { listMethods } from './methods/sdk-types.ts'

test('Z-01 docs/clients.md says what each method of the newest official client was answered', {
  timeout: 60_000,
}, async () => {
  const { URL, MANAGEMENT, BACKEND, BROWSER, ...payments } = await startMatrixServer()
  const createClient = (apiKey: string) => new BasisTheoryClient({ apiKey, environment: URL, maxRetries: 0 })
  const management = createClient(MANAGEMENT)
  const payloads = {
    apple: JSON.parse(payments.APPLE_PAYMENT_DATA),
    google: JSON.parse(payments.GOOGLE_PAYMENT_DATA),
    googleCard: JSON.parse(payments.GOOGLE_CARD_DATA),
  }
  const clients = { management, backend: createClient(BACKEND), browser: createClient(BROWSER), payloads }
  const methods = listMethods(management)
  const names = methods.map(({ name }) => name)
  expect(Object.keys(scenarios).filter((name) => !names.includes(name))).toEqual([])
  const outcomes = await observeMethods(methods, clients)
  // `npm run clients` sets this mode, in which the table is written.
  if (process.env.MODE === 'clients') writeMethods(outcomes)
  expect(readMethods()).toBe(formatMethods(outcomes))
})
