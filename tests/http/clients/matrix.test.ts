import { afterAll, expect, test } from 'vitest'
import { isThorough } from '../../thorough.ts'
import { areas, type Outcomes } from './matrix/areas.ts'
import { clients, untriedClients } from './matrix/clients.ts'
import { describeMissingPythonGenerator, validateDocument } from './matrix/generated.ts'
import { startMatrixServer } from './matrix/matrix-server.ts'
import { formatTable, readTable, writeTable } from './matrix/table.ts'
import { isTimeOver } from './timeouts.ts'

// `npm run clients` sets this mode, in which every client is tried and the matrix is written. `npm test` tries only the
// quick ones.
const isWhole = process.env.MODE === 'clients'
const seen = new Map<string, { outcomes: Outcomes } | { reason: string }>()
const timeout = isWhole ? 600_000 : 60_000

afterAll(() => {
  // After a partial run, with -t or without a registry, the matrix is not written, because results of some clients are
  // missing.
  const hasRun = ({ title }: { title: string }) => 'outcomes' in (seen.get(title) ?? {})
  if (clients.every(hasRun) && untriedClients.every(({ title }) => seen.has(title))) writeTable(seen)
})

const timeIsUp = 'the time for all clients is up'

/** Prints and returns why a client was not run, and stores the reason for the matrix. */
function recordNotRun(title: string, reason: string): string {
  console.log(`${title} is not tried: ${reason}.`)
  seen.set(title, { reason })
  return reason
}

const quick = clients.filter(({ isQuick }) => isQuick)

// The quick clients are also covered by separate tests.
test.for(isWhole ? clients : isThorough ? quick : quick.slice(-1))(
  'the client $title passes every area it has methods for',
  { timeout },
  async ({ title, lacks, missing, run }, { skip }) => {
    const reason = isTimeOver() ? timeIsUp : await missing()
    if (reason !== null) skip(recordNotRun(title, reason))
    const outcomes = await run(await startMatrixServer()).catch((error: unknown) => {
      if (!isTimeOver()) throw error
      return skip(recordNotRun(title, timeIsUp))
    })
    seen.set(title, { outcomes })
    const expected = areas.filter((area) => !lacks.includes(area)).map((area) => [area, 'ok'])
    expect(outcomes).toEqual(Object.fromEntries(expected))
  },
)

test.runIf(isWhole).for(untriedClients)(
  'the client $title is skipped, and the reason is recorded',
  { timeout },
  async ({ title, missing }, { skip }) => {
    skip(recordNotRun(title, isTimeOver() ? timeIsUp : await missing()))
  },
)

test.runIf(isWhole)(
  'A-16 openapi-spec-validator accepts the OpenAPI document',
  { timeout },
  async ({ skip }) => {
    const reason = isTimeOver() ? timeIsUp : describeMissingPythonGenerator()
    if (reason !== null) skip(reason)
    await validateDocument(await startMatrixServer()).catch((error: unknown) => {
      if (!isTimeOver()) throw error
      skip(timeIsUp)
    })
  },
)

test.skipIf(isWhole)(
  'docs/clients.md lists every client of the matrix, with all its areas as passing',
  () => {
    const everything = clients.map(({ title, lacks }) => {
      const outcomes = areas.filter((area) => !lacks.includes(area)).map((area) => [area, 'ok'])
      return [title, { outcomes: Object.fromEntries(outcomes) as Outcomes }] as const
    })
    const listRows = (text: string) => text.split('\n').filter((line) => line.startsWith('|'))
    expect(listRows(readTable())).toEqual(listRows(formatTable(new Map(everything))))
    for (const { title } of untriedClients) expect(readTable()).toContain(`- ${title}: `)
  },
)
