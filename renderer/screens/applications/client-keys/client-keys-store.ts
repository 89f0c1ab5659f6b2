import { createFollowedList } from '../../../parts/access/followed-list.ts'
import { getReadClient } from '../../../parts/access/view-as.ts'
import type { vault } from '../../../parts/connection/vault.ts'

type ClientKey = Awaited<ReturnType<typeof vault.clientKeys.list>>[number]

/** The client encryption keys; the API returns all of them in one response. */
export const clientKeyList = createFollowedList<ClientKey>('client_key', ['keys:read'], async () => {
  const data = await getReadClient().clientKeys.list()
  return { data, pagination: { total_items: data.length, total_pages: 1 } }
})
export const { useList: useClientKeys, load: loadClientKeys } = clientKeyList
