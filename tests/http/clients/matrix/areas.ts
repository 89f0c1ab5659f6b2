/**
 * The areas that each client is tried with, in the order of the table in docs/clients.md. A new area needs a function
 * in every program, or an entry among the areas that a client in clients.ts lacks; then `npm run clients` writes its
 * row.
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
  'errors',
  'paging',
  'idempotency',
] as const

export type Area = (typeof areas)[number]

/** The result of each area that a program tried: `ok`, or the error. */
export type Outcomes = Partial<Record<Area, string>>

/** A program of one client, by area. */
export type Program = Partial<Record<Area, () => Promise<void>>>

/** Tries one area after the other; one that fails does not keep the next from being tried. */
export async function tryEach(program: Program): Promise<Outcomes> {
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
