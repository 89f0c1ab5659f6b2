/** Something the palette offers. */
export type Entry = {
  readonly id: string
  readonly label: string
  readonly group: string
  /** Other words that find it. */
  readonly words?: string
}

/** How well an entry matches the query, lower being better; null if it does not match. */
function scoreOf({ label, group, words = '' }: Entry, query: string): number | null {
  const name = label.toLowerCase()
  if (name === query) return 0
  // `backup` matches `back up`.
  if (squeezed(name).startsWith(squeezed(query))) return 1
  if (startsWord(name, query)) return 2
  if (name.includes(query)) return 3
  const all = `${name} ${group} ${words}`.toLowerCase()
  const parts = query.split(/\s+/)
  if (parts.every((part) => startsWord(all, part))) return 4
  return parts.every((part) => part.length > 2 && all.includes(part)) ? 5 : null
}

function squeezed(text: string): string {
  return text.replaceAll(' ', '')
}

function startsWord(text: string, start: string): boolean {
  return text.startsWith(start) || text.includes(` ${start}`)
}

/** The matching entries, best first, grouped; in their original order while nothing is typed. */
export function rank<E extends Entry>(entries: readonly E[], typed: string): E[] {
  const query = typed.trim().toLowerCase()
  if (query === '') return [...entries]
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, query) }))
    .filter((each): each is { entry: E; score: number } => each.score !== null)
    .sort((a, b) => a.score - b.score)
  const groups = [...new Set(found.map(({ entry }) => entry.group))]
  return groups
    .flatMap((group) => found.filter(({ entry }) => entry.group === group))
    .map(({ entry }) => entry)
}

/** Whether a text is a full id in the format the vault generates. */
export function isWholeId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/** Whether a text could be a token id and is worth a look-up. Custom ids are expected to contain a digit. */
export function mayBeId(text: string): boolean {
  return text.length >= 4 && text.length <= 300 && !/\s/.test(text) && /\d/.test(text)
}
