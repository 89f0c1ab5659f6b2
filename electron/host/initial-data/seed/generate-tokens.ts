import type { NewToken } from '../../../../shared/schemas/token.ts'
import { Random } from './random.ts'
import { createRealisticData } from './realistic-data.ts'
import type { Seed } from './seed.ts'

/** Generates the tokens of a seed's `generate` entries. The same seed gives the same tokens, including their ids. */
export function* generateTokens({ generate, random: number }: Seed): Generator<NewToken> {
  for (const [at, { count, ...entry }] of generate.entries()) {
    // Each entry has its own random sequence, so that changing one does not change the others.
    const random = new Random(Math.imul(number, 7919) + at)
    for (let n = 1; n <= count; n++) {
      const insertNumber = (text: string) => text.replaceAll('{n}', String(n))
      yield {
        ...entry,
        data: createRealisticData(entry.type, random),
        token_intent_id: undefined,
        id: entry.id === undefined ? random.nextUuid() : insertNumber(entry.id),
        metadata:
          entry.metadata &&
          Object.fromEntries(
            Object.entries(entry.metadata).map(([name, value]) => [
              name,
              typeof value === 'string' ? insertNumber(value) : value,
            ]),
          ),
      }
    }
  }
}
