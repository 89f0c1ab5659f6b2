import type { Application } from '../../../shared/schemas/application.ts'
import { keepCurrent } from '../connection/follow.ts'
import { latest } from '../connection/latest.ts'
import { vaultStore, whileOpen } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'
import { strings } from './strings.ts'

type Known = {
  readonly applications: readonly Application[]
  /** How many there are, of which the newest are here. */
  readonly total: number
  readonly loaded: boolean
  /** Why they could not be read. */
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

/** Reads the applications again. */
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

/** The name of an application, or of who else did something. */
export function useActorName(): (id: string | null | undefined, type?: string) => string {
  const { applications } = useApplications()
  return (id, type = 'application') => {
    const { actors } = strings
    if (!id) return type === 'unknown' ? actors.unknown : type === 'vault' ? actors.vault : actors.owner
    const known = applications.find((each) => each.id === id)
    return known?.name ?? (type === 'session' ? actors.session : actors.gone)
  }
}

/** Reads the applications; why that fails is kept beside those that are known. */
export function readApplications(): Promise<void> {
  const isOpen = whileOpen()
  return loadApplications().catch((problem) => {
    if (isOpen()) useApplications.setState({ problem })
  })
}

/** Keeps the applications up to date with what is done to them and their keys. */
export const followApplications = (): (() => void) =>
  keepCurrent(readApplications, ['application', 'application_key'])
