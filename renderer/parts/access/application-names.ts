import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { keepCurrent } from '../connection/change-subscription.ts'
import { createLoadedList } from '../connection/loaded-list.ts'
import { vault } from '../connection/vault.ts'
import { getActorName } from './actor-name.ts'

const MAX_APPLICATIONS = 500

/** The newest applications of the vault, shared by every screen that shows application names. */
export const applicationList = createLoadedList<Application>(() =>
  fetchEveryItem((page) => vault.applications.list(page), MAX_APPLICATIONS),
)
export const { useList: useApplications, load: loadApplications } = applicationList

export function useActorName(): (id: string | null | undefined, type?: string) => string {
  const { rows: applications } = useApplications()
  return (id, type) => getActorName(applications, id, type)
}

/** Reloads the applications whenever an application or a key changes. Returns a function that unsubscribes. */
export const followApplications = (): (() => void) =>
  keepCurrent(applicationList.read, ['application', 'application_key'])
