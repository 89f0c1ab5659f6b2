/** Something the palette offers. */
export type Entry = {
  readonly id: string
  readonly label: string
  readonly group: string
  /** Other words that find it. */
  readonly words?: string
  /** The ids of a thing in the vault; a command has none. */
  readonly ids?: readonly string[]
  /** Not offered before something is typed. */
  readonly isTyped?: true
}

/** The fewest letters that find something inside a word, or by its id. */
const FEWEST_INSIDE = 3
const FEWEST_OF_ID = 4

/** How well an entry matches the query, lower being better; null if it does not match. */
function scoreOf(entry: Entry, query: string): number | null {
  const { ids } = entry
  if (query.length >= FEWEST_OF_ID && ids?.some((id) => id.startsWith(query))) return 0
  const score = scoreOfWords(entry, query)
  // What exists and is called so goes before a command that begins the same way.
  return ids && score !== null && score > 0 && score < 3 ? 0.5 : score
}

function scoreOfWords({ label, group, words = '' }: Entry, query: string): number | null {
  const name = label.toLowerCase()
  if (name === query) return 0
  // `backup` matches `back up`.
  if (squeezed(name).startsWith(squeezed(query))) return 1
  if (startsWord(name, query)) return 2
  if (query.length >= FEWEST_INSIDE && name.includes(query)) return 3
  const all = `${name} ${group} ${words}`.toLowerCase()
  return query.split(/\s+/).every((part) => startsWord(all, part)) ? 4 : null
}

function squeezed(text: string): string {
  return text.replaceAll(' ', '')
}

function startsWord(text: string, start: string): boolean {
  return text.startsWith(start) || text.includes(` ${start}`)
}

/** The matching entries, best first, grouped; while nothing is typed, in their original order. */
export function rank<E extends Entry>(entries: readonly E[], typed: string): E[] {
  const query = typed.trim().toLowerCase()
  if (query === '') return entries.filter(({ isTyped }) => !isTyped)
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, query) }))
    .filter((each): each is { entry: E; score: number } => each.score !== null)
    .sort((a, b) => a.score - b.score)
  const groups = [...new Set(found.map(({ entry }) => entry.group))]
  return groups
    .flatMap((group) => found.filter(({ entry }) => entry.group === group))
    .map(({ entry }) => entry)
}

/** What was used last goes first, in a group of its own. */
export function withRecent<E extends Entry>(
  entries: readonly E[],
  recent: readonly string[],
  group: string,
): E[] {
  const first = recent.flatMap((id) => entries.filter((entry) => entry.id === id))
  const rest = entries.filter(({ id, isTyped }) => !isTyped && !recent.includes(id))
  return [...first.map((entry) => ({ ...entry, group })), ...rest]
}

/** Whether a text is a full id in the format the vault generates. */
export function isWholeId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/** Whether a text could be a token id and is worth a look-up. Custom ids are expected to contain a digit. */
export function mayBeId(text: string): boolean {
  return text.length >= 4 && text.length <= 300 && !/\s/.test(text) && /\d/.test(text)
}
