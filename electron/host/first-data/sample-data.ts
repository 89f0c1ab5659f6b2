import type { Engine } from '../../engine/engine.ts'
import { sampleApplications } from './sample-applications.ts'
import { sampleTokens } from './sample-tokens.ts'

/** Fills a vault with applications and tokens to look at, as the owner. Throws what the door says. */
export async function createSampleData(
  engine: Engine,
  now: number,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const tokens = sampleTokens(now)
  const calls = [
    ...sampleApplications.map((input) => ['applications.create', input] as const),
    ...tokens.map((input) => ['tokens.create', input] as const),
  ]
  for (const [done, [name, input]] of calls.entries()) {
    progress(done, calls.length)
    await engine.call(name, input, { kind: 'owner' })
  }
  progress(calls.length, calls.length)
}
