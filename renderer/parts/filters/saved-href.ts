import type { SavedSearch } from '../../../shared/find.ts'

/** The location that a saved filter opens. */
export function toSavedHref({ screen, query }: Pick<SavedSearch, 'screen' | 'query'>): string {
  return `#/${screen}${query === '' ? '' : `?${query}`}`
}
