import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { createFollowedList } from '../access/followed-list.ts'
import { getReadClient } from '../access/view-as.ts'

export const reactorList = createFollowedList<ReactorObject>('reactor', 'reactor:read', (page) =>
  getReadClient().reactors.list(page),
)
export const { useList: useReactors, load: loadReactors, read: readReactors } = reactorList
