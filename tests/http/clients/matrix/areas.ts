/**
 * The areas that each client is tried with, in the order of the table in docs/clients.md. For a new area, add a
 * function to every program, or the area to `lacks` in clients.ts; then `npm run clients` writes the row.
 */
export const areas = [
  'tokens',
  'tokenize',
  'detokenize',
  'token intents',
  'applications',
  'application keys',
  'proxies',
  'reactors',
  'webhooks',
  'documents',
  'client keys',
  'members and invitations',
  'roles',
  'application templates',
  'usage report',
  'card details',
  '3D Secure',
  'account updater',
  'merchants',
  'wallets',
  'errors',
  'paging',
  'idempotency',
] as const

export type Area = (typeof areas)[number]

/** The result of each area that a program tried: `ok`, or the error. */
export type Outcomes = Partial<Record<Area, string>>

/** Functions that try one client, by area. They reject if the area fails. */
export type ClientProgram = Partial<Record<Area, () => Promise<void>>>

/** Tries one area after the other, even if one of them fails. */
export async function tryEach(program: ClientProgram): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  for (const area of areas) {
    const run = program[area]
    if (run === undefined) continue
    outcomes[area] = await run().then(
      () => 'ok',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  }
  return outcomes
}
