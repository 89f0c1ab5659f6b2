import type { NewToken } from '../../../../shared/schemas/token.ts'
import { Random } from './random.ts'
import { realisticData } from './realistic-data.ts'
import type { Seed } from './seed.ts'

/** The tokens a seed asks to make up: the same for the same seed, ids included. */
export function* generateTokens({ generate, random: number }: Seed): Generator<NewToken> {
  for (const [at, { count, ...entry }] of generate.entries()) {
    // Each entry counts by itself, so that a change in one leaves the others as they are.
    const random = new Random(Math.imul(number, 7919) + at)
    for (let n = 1; n <= count; n++) {
      const numbered = (text: string) => text.replaceAll('{n}', String(n))
      yield {
        ...entry,
        data: realisticData(entry.type, random),
        token_intent_id: undefined,
        id: entry.id === undefined ? random.uuid() : numbered(entry.id),
        metadata:
          entry.metadata &&
          Object.fromEntries(
            Object.entries(entry.metadata).map(([name, value]) => [
              name,
              typeof value === 'string' ? numbered(value) : value,
            ]),
          ),
      }
    }
  }
}
