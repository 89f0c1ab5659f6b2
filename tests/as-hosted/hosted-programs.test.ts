import { afterAll, expect, test } from 'vitest'
import { isTimeOver } from '../http/clients/timeouts.ts'
import { listRows, writePrograms } from './matrix/programs-table.ts'
import { type ProgramOutcome, runPrograms } from './matrix/run-programs.ts'
import { runtimes } from './matrix/runtimes.ts'

// `npm run clients` sets this mode, in which the programs are run and the table is written.
const isWhole = process.env.MODE === 'clients'
const timeIsUp = 'the time for all clients is up'
const seen = new Map<string, readonly ProgramOutcome[]>()

afterAll(() => {
  if (isWhole) writePrograms(seen)
})

test.runIf(isWhole && process.platform === 'linux').for(runtimes)(
  'H-01 X-72 unedited programs of $title',
  { timeout: 900_000 },
  async (runtime, { skip }) => {
    const { title, describeMissing, programs } = runtime
    const skipWith = (reason: string) => {
      console.log(`${title} is not tried: ${reason}.`)
      return skip(reason)
    }
    const reason = isTimeOver() ? timeIsUp : await describeMissing()
    if (reason !== null) skipWith(reason)
    const outcomes = await runPrograms(runtime)
    if (isTimeOver()) skipWith(timeIsUp)
    seen.set(title, outcomes)
    const expected = programs.map(({ title, outside, isApplication = false, fails }) => {
      const isAnswered = fails === undefined
      if (isApplication) return { title, isAnswered, outside: null, isForbiddenRejected: null }
      return { title, isAnswered, outside, isForbiddenRejected: isAnswered ? true : null }
    })
    const unexpected = outcomes.filter(
      ({ printed: _, ...outcome }, at) => JSON.stringify(outcome) !== JSON.stringify(expected[at]),
    )
    expect(unexpected).toEqual([])
  },
)

test.skipIf(isWhole)('docs/clients.md lists every program', () => {
  const rows = runtimes.flatMap(({ title, programs }) => programs.map((each) => `${title}, ${each.title}`))
  expect(listRows()).toEqual(rows)
})
