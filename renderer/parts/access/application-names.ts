import type { Application } from '../../../shared/schemas/application.ts'
import { keepCurrent } from '../connection/change-subscription.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { createOpenCheck, createVaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'
import { getActorName } from './actor-name.ts'

type ApplicationNamesState = {
  readonly applications: readonly Application[]
  /** The number of applications in the vault, which may exceed the number loaded. */
  readonly total: number
  readonly loaded: boolean
  /** The error of the last load; null if it succeeded. */
  readonly problem: unknown
}

const MAX_APPLICATIONS = 500

/** The newest applications of the vault, shared by every screen that shows application names. */
export const useApplications = createVaultStore<ApplicationNamesState>(() => ({
  applications: [],
  total: 0,
  loaded: false,
  problem: null,
}))

const readings = createRequestGuard()

export async function loadApplications(): Promise<void> {
  const isCurrent = readings.repeat()
  const applications: Application[] = []
  let total = 0
  for (let page = 1; applications.length < MAX_APPLICATIONS; page++) {
    const { data, pagination } = await vault.applications.list({ page, size: 100 })
    applications.push(...data)
    total = pagination.total_items
    if (page >= pagination.total_pages) break
  }
  if (isCurrent()) useApplications.setState({ applications, total, loaded: true, problem: null })
}

export function useActorName(): (id: string | null | undefined, type?: string) => string {
  const { applications } = useApplications()
  return (id, type) => getActorName(applications, id, type)
}

/** Loads the applications. If that fails, the loaded ones stay and `problem` holds the error. */
export function readApplications(): Promise<void> {
  const isOpen = createOpenCheck()
  return loadApplications().catch((problem) => {
    if (isOpen()) useApplications.setState({ problem })
  })
}

/** Reloads the applications whenever an application or a key changes. Returns a function that unsubscribes. */
export const followApplications = (): (() => void) =>
  keepCurrent(readApplications, ['application', 'application_key'])
