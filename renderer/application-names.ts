import type { Application } from '../shared/schemas/application.ts'
import { onLog } from './session.ts'
import { vaultStore } from './store.ts'
import { strings } from './strings.ts'
import { vault } from './vault.ts'

type Known = {
  readonly applications: readonly Application[]
  /** How many there are, of which the newest are here. */
  readonly total: number
  readonly loaded: boolean
}

const MOST = 500

/** The applications of the vault, newest first, for every screen that names one. */
export const useApplications = vaultStore<Known>(() => ({ applications: [], total: 0, loaded: false }))

/** Reads the applications anew. */
export async function loadApplications(): Promise<void> {
  const applications: Application[] = []
  let total = 0
  for (let page = 1; applications.length < MOST; page++) {
    const { data, pagination } = await vault.applications.list({ page, size: 100 })
    applications.push(...data)
    total = pagination.total_items
    if (page >= pagination.total_pages) break
  }
  useApplications.setState({ applications, total, loaded: true })
}

/** The name of an application, or of who else did something. */
export function useActorName(): (id: string | null | undefined, type?: string) => string {
  const { applications } = useApplications()
  return (id, type = 'application') => {
    if (!id) return type === 'unknown' ? strings.frame.actors.unknown : strings.frame.actors.owner
    const known = applications.find((each) => each.id === id)
    return known?.name ?? (type === 'session' ? strings.frame.actors.session : strings.frame.actors.gone)
  }
}

/** Keeps the applications up to date with what is done to them. */
export function followApplications(): () => void {
  loadApplications().catch(() => undefined)
  return onLog((records) => {
    const changed = records.some(
      ({ operation, status }) =>
        /^(applications\.(create|update|remove|expire)|keys\.(create|replace|remove))$/.test(operation) &&
        status < 400,
    )
    if (changed) loadApplications().catch(() => undefined)
  })
}
