import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { followedList } from '../access/followed-list.ts'
import { reader } from '../access/looking.ts'

/** The reactors of the vault. */
export const reactorList = followedList<ReactorObject>('reactor', 'reactor:read', (page) =>
  reader().reactors.list(page),
)
export const { useList: useReactors, load: loadReactors, read: readReactors } = reactorList
