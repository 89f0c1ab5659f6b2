import { redactKeys } from '../../../shared/key-hint.ts'

export type PaletteEntry = {
  readonly id: string
  readonly label: string
  readonly group: string
  /** More search terms that match the entry. */
  readonly words?: string
  /** Ids of the entity that the entry opens; commands have none. */
  readonly ids?: readonly string[]
  /** Hidden until the user types a query. */
  readonly needsQuery?: true
}

/** The minimum lengths of a query that may match inside a word, and the start of an id. */
const MIN_INNER_MATCH_LENGTH = 3
const MIN_ID_PREFIX_LENGTH = 4

/** Returns the score of an entry for the query: lower is better, null is no match. */
function scoreEntry(entry: PaletteEntry, query: string): number | null {
  const { ids } = entry
  if (query.length >= MIN_ID_PREFIX_LENGTH && ids?.some((id) => id.startsWith(query))) return 0
  const score = scoreText(entry, query)
  // If a word of each name starts with the query, an entity ranks before a command.
  return ids && score !== null && score > 0 && score < 3 ? 0.5 : score
}

function scoreText({ label, group, words = '' }: PaletteEntry, query: string): number | null {
  const name = label.toLowerCase()
  if (name === query) return 0
  // `backup` matches `back up`.
  if (removeSpaces(name).startsWith(removeSpaces(query))) return 1
  if (startsWord(name, query)) return 2
  if (query.length >= MIN_INNER_MATCH_LENGTH && name.includes(query)) return 3
  const all = `${name} ${group} ${words}`.toLowerCase()
  return query.split(/\s+/).every((part) => startsWord(all, part)) ? 4 : null
}

function removeSpaces(text: string): string {
  return text.replaceAll(' ', '')
}

function startsWord(text: string, start: string): boolean {
  return text.startsWith(start) || text.includes(` ${start}`)
}

/** Returns the matching entries by group, best first; for an empty query, all entries in their order. */
export function rankEntries<E extends PaletteEntry>(entries: readonly E[], input: string): E[] {
  const query = input.trim().toLowerCase()
  if (query === '') return entries.filter(({ needsQuery }) => !needsQuery)
  const matches = entries
    .map((entry) => ({ entry, score: scoreEntry(entry, query) }))
    .filter((each): each is { entry: E; score: number } => each.score !== null)
    .sort((a, b) => a.score - b.score)
  const groups = [...new Set(matches.map(({ entry }) => entry.group))]
  return groups
    .flatMap((group) => matches.filter(({ entry }) => entry.group === group))
    .map(({ entry }) => entry)
}

/** The entries with these ids, in the order of the ids, in another group. */
export function pickEntries<E extends PaletteEntry>(
  entries: readonly E[],
  ids: readonly string[],
  group: string,
): E[] {
  return ids.flatMap((id) => {
    const entry = entries.find((each) => each.id === id)
    return entry ? [{ ...entry, group }] : []
  })
}

/** Whether the query is a name of the entry, or begins one of its words, so that it ranks before what is found by data. */
export function isNamed(entry: PaletteEntry, input: string): boolean {
  const score = scoreEntry(entry, input.trim().toLowerCase())
  return score !== null && score <= 2
}

/** SECURITY: whether a text may be a key or a card number, which must not get into an address. */
export function isSecret(text: string): boolean {
  return redactKeys(text) !== text || /(?:\p{Nd}\P{Nd}{0,2}){12}/u.test(text)
}
