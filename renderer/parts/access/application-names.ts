import type { Application } from '../../../shared/schemas/application.ts'
import { keepCurrent } from '../connection/follow.ts'
import { latest } from '../connection/latest.ts'
import { vaultStore, whileOpen } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'
import { nameOfActor } from './name-of-actor.ts'

type Known = {
  readonly applications: readonly Application[]
  /** The number of applications in the vault; only the newest are here. */
  readonly total: number
  readonly loaded: boolean
  /** Why the applications could not be loaded. */
  readonly problem: unknown
}

const MOST = 500

/** The applications of the vault, newest first, for every screen that names one. */
export const useApplications = vaultStore<Known>(() => ({
  applications: [],
  total: 0,
  loaded: false,
  problem: null,
}))

const readings = latest()

/** Reloads the applications. */
export async function loadApplications(): Promise<void> {
  const isWanted = readings.again()
  const applications: Application[] = []
  let total = 0
  for (let page = 1; applications.length < MOST; page++) {
    const { data, pagination } = await vault.applications.list({ page, size: 100 })
    applications.push(...data)
    total = pagination.total_items
    if (page >= pagination.total_pages) break
  }
  if (isWanted()) useApplications.setState({ applications, total, loaded: true, problem: null })
}

/** Returns the name of an actor: an application or anyone else. */
export function useActorName(): (id: string | null | undefined, type?: string) => string {
  const { applications } = useApplications()
  return (id, type) => nameOfActor(applications, id, type)
}

/** Loads the applications. On failure the known ones stay, and `problem` says why. */
export function readApplications(): Promise<void> {
  const isOpen = whileOpen()
  return loadApplications().catch((problem) => {
    if (isOpen()) useApplications.setState({ problem })
  })
}

/** Keeps the applications current as they and their keys change. */
export const followApplications = (): (() => void) =>
  keepCurrent(readApplications, ['application', 'application_key'])
