type ListCounts = {
  /** How many rows match the search; null without a search. */
  readonly found: number | null
  /** How many rows are loaded. */
  readonly known: number
  readonly total: number
}

export const strings = {
  noMatch: (what: string) => `No ${what} matches`,
  clear: 'Clear the search',
  created: 'Created',
  modified: 'Modified',
  history: 'History',
  json: 'JSON',
  /** For example `3 of the newest 1,000 of 1,204 proxies`, without the parts that do not apply. */
  count(nouns: readonly [one: string, many: string], { found, known, total }: ListCounts) {
    const all = known < total ? `the newest ${known} of ${total.toLocaleString('en')}` : `${total}`
    return `${found === null ? '' : `${found} of `}${all} ${total === 1 ? nouns[0] : nouns[1]}`
  },
} as const
