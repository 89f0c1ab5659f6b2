import { type Engine, owner } from '../../engine/index.ts'
import { sampleApplications } from './sample-applications.ts'
import { createSampleTokens } from './sample-tokens.ts'

/** Fills a vault with sample applications and tokens, as the owner. Throws what the engine throws. */
export async function createSampleData(
  engine: Engine,
  now: number,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const tokens = createSampleTokens(now)
  const total = sampleApplications.length + tokens.length
  const client = engine.as(owner)
  let done = 0
  for (const application of sampleApplications) {
    progress(done++, total)
    await client.applications.create(application)
  }
  for (const token of tokens) {
    progress(done++, total)
    await client.tokens.create(token)
  }
  progress(total, total)
}
