import { useMemo } from 'react'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { type GrantsDraft, toRules } from './grants.ts'

type DecideInput = Parameters<typeof vault.access.decide>[0]
/** What an application would try: permissions of which one is enough, and the containers of each token. */
export type AccessAttempt = Pick<DecideInput['attempts'][number], 'permissions' | 'subjects'>
export type AccessDecision = Awaited<ReturnType<typeof vault.access.decide>>[number]

export type FindDecision = (attempt: AccessAttempt) => AccessDecision | undefined

const DECIDE_DELAY_MS = 150

function toKey({ permissions, subjects }: AccessAttempt): string {
  return JSON.stringify([permissions, subjects])
}

/** Asks the engine how it would decide these attempts with these grants. The last decisions stay until new ones arrive. */
export function useDecisions(
  { type, permissions, rules }: GrantsDraft,
  attempts: readonly AccessAttempt[],
): { readonly find: FindDecision; readonly problem: unknown; readonly isLoaded: boolean } {
  const input = useMemo(
    () =>
      JSON.stringify({
        type,
        permissions,
        rules: toRules(rules),
        attempts: attempts.map(({ permissions, subjects }) => ({ permissions, subjects })),
      }),
    [type, permissions, rules, attempts],
  )
  const { value, problem } = useLoaded(
    async () => {
      const asked: DecideInput = JSON.parse(input)
      const decisions = asked.attempts.length === 0 ? [] : await vault.access.decide(asked)
      return new Map(asked.attempts.map((attempt, at) => [toKey(attempt), decisions[at]]))
    },
    { about: input, stays: true, wait_ms: DECIDE_DELAY_MS },
  )
  return { find: (attempt) => value?.get(toKey(attempt)), problem, isLoaded: value !== null }
}
