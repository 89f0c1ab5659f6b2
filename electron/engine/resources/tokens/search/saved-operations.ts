import { CofferError } from '../../../../../shared/errors.ts'
import { savedSearch } from '../../../../../shared/find.ts'
import { nothing } from '../../../../../shared/schemas/common.ts'
import { z } from '../../../../../shared/zod.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { countSearches, deleteSearch, listSearches, putSearch } from './saved-store.ts'

const MAX_SAVED_SEARCHES = 100

export const savedSearches = defineOperation({
  summary: "List the owner's saved searches by name",
  entity: 'vault',
  input: nothing,
  output: z.object({ data: z.array(savedSearch) }),
  handler: ({ db }) => ({ data: listSearches(db) }),
})

export const saveSearch = defineOperation({
  summary: 'Save a search, or replace the one with this id',
  entity: 'vault',
  effect: 'write',
  input: savedSearch,
  output: savedSearch,
  handler({ db }, search) {
    putSearch(db, search)
    if (countSearches(db) > MAX_SAVED_SEARCHES) {
      throw new CofferError(
        'conflict',
        `There are already ${MAX_SAVED_SEARCHES} saved searches. Delete one first.`,
      )
    }
    return search
  },
})

export const removeSearch = defineOperation({
  summary: 'Delete a saved search',
  entity: 'vault',
  effect: 'write',
  status: 204,
  input: z.strictObject({ id: z.uuid() }),
  output: nothing,
  handler({ db }, { id }) {
    deleteSearch(db, id)
    return {}
  },
})
