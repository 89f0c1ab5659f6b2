import { runJob } from '../../../parts/connection/jobs.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { host } from '../../../parts/connection/vault.ts'

export type ServerComparison = Awaited<ReturnType<typeof host.conform>>

type ComparisonState = {
  readonly isRunning: boolean
  readonly result: ServerComparison | null
  readonly problem: unknown
}

const fresh: ComparisonState = { isRunning: false, result: null, problem: null }

/** The last comparison. It stays while the owner uses other screens. SECURITY: it holds no key. */
export const useComparison = createVaultStore<ComparisonState>(() => fresh)

/** Compares a server with Coffer. The result or the problem goes to the store, unless the vault was locked meanwhile. */
export async function compareServer(input: Parameters<typeof host.conform>[0]): Promise<void> {
  const started: ComparisonState = { ...fresh, isRunning: true }
  useComparison.setState(started, true)
  let ended: ComparisonState
  try {
    ended = { ...fresh, result: await runJob('conform', () => host.conform(input)) }
  } catch (problem) {
    ended = { ...fresh, problem }
  }
  if (useComparison.getState() === started) useComparison.setState(ended, true)
}
