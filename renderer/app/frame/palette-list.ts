import { type Command, listSettings, nextSteps } from './palette-commands.ts'
import { type PaletteHits, toDeletions, toHitGroups } from './palette-hits.ts'
import { readMode } from './palette-mode.ts'
import { isNamed, isSecret, pickEntries, rankEntries } from './palette-rank.ts'
import { strings as t } from './palette-strings.ts'
import type { Evaluation } from './use-palette-result.ts'

/** The maximum number of entries of a group, which says how many there are. */
const MAX_ENTRIES = 8

/** The groups that follow what was found in the vault, whatever their entries are called. */
const lateGroups: readonly string[] = [t.guideGroup, t.settings]

export type VisibleGroup = { readonly label: string; readonly entries: readonly Command[] }

type ListOptions = {
  readonly query: string
  readonly commands: readonly Command[]
  /** The ids of the recently used entries, newest first. */
  readonly recent: readonly string[]
  readonly hits: PaletteHits
  readonly evaluation: Evaluation
  readonly as: string | null
}

/** The groups that the palette shows, best first. */
export function listVisible({
  query,
  commands,
  recent,
  hits,
  evaluation,
  as,
}: ListOptions): readonly VisibleGroup[] {
  const { mode, text, isSecret: isHidden } = readMode(query)
  if (isHidden) return []
  if (mode === 'evaluate') return evaluation.entry ? [{ label: t.result, entries: [evaluation.entry] }] : []
  const own = commands.filter(({ isHit }) => !isHit)
  if (mode === 'act') {
    const acts = rankEntries(
      own.filter(({ isAct }) => isAct),
      text,
    )
    return groupEntries([...acts, ...toDeletions(hits)])
  }
  if (text === '') return listUntyped(commands, recent)
  const settings = isSecret(text) ? [] : listSettings(text)
  const isDeleting = /^(?:delete|remove)\b/i.test(text)
  const offered = own.filter(({ group }) => isDeleting || group !== t.deletions)
  const ranked = groupEntries([...rankEntries(offered, text), ...settings])
  const isStrong = ({ entries }: VisibleGroup) =>
    entries.some((entry) => !lateGroups.includes(entry.group) && isNamed(entry, text))
  return [
    ...ranked.filter(isStrong),
    ...toHitGroups(hits, as === null),
    ...ranked.filter((group) => !isStrong(group)),
  ]
}

/** What was used, what to do next, and where to go. */
function listUntyped(commands: readonly Command[], recent: readonly string[]): readonly VisibleGroup[] {
  const isUnused = (id: string) => !recent.includes(id)
  const screens = commands.filter(({ id, group }) => group === t.screens && isUnused(id))
  return [
    { label: t.recent, entries: pickEntries(commands, recent, t.recent) },
    { label: t.next, entries: pickEntries(commands, nextSteps.filter(isUnused), t.next) },
    { label: t.screens, entries: screens },
  ].filter(({ entries }) => entries.length > 0)
}

/** Groups entries, in the order of the first of each group. */
function groupEntries(entries: readonly Command[]): VisibleGroup[] {
  return [...Map.groupBy(entries, ({ group }) => group)].map(([group, all]) => ({
    label: t.counted(group, Math.min(all.length, MAX_ENTRIES), all.length),
    entries: all.slice(0, MAX_ENTRIES),
  }))
}
