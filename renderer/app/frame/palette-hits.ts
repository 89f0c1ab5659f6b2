import { useEffect, useState } from 'react'
import type { PaletteAnswer, PaletteHit, PaletteKind } from '../../../shared/schemas/palette.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { vault } from '../../parts/connection/vault.ts'
import { goTo } from '../../parts/navigation/route.ts'
import { type Screen, screens } from '../../parts/navigation/screens.ts'
import { getTypeIcon, getTypeName } from '../../parts/tokens/token-types.ts'
import type { Command, EntryTarget } from './palette-commands.ts'
import { isSecret } from './palette-rank.ts'
import { strings as t } from './palette-strings.ts'

const DELAY_MS = 40
/** The maximum number of requests for one text: an application may see few of very many tokens. */
const MAX_REQUESTS = 40

type Groups = PaletteAnswer['groups']

export type PaletteHits = {
  /** The text that the groups answer. While another one is searched for, they stay. */
  readonly text: string
  readonly groups: Groups
  readonly isDone: boolean
  /** Whether it ended before the end of the vault. */
  readonly isPart: boolean
  /** The application whose view was searched; undefined for the owner's. */
  readonly as: string | undefined
}

const none: PaletteHits = { text: '', groups: [], isDone: true, isPart: false, as: undefined }

/** Searches the vault until there are tokens, or `show` returns false. */
async function searchVault(
  text: string,
  as: string | undefined,
  show: (hits: PaletteHits) => boolean,
): Promise<void> {
  const query = { text, ...(as !== undefined && { as }) }
  let groups: Groups = []
  let start: string | undefined
  for (let left = MAX_REQUESTS; left > 0; left--) {
    const answer = await vault.palette.search({ ...query, ...(start !== undefined && { start }) })
    groups = [...answer.groups, ...groups]
    const isEnd = answer.next === null || answer.groups.some(({ kind }) => kind === 'token')
    const isDone = isEnd || left === 1
    if (!show({ text, groups, isDone, isPart: isDone && !isEnd, as }) || isDone) return
    start = answer.next ?? undefined
  }
}

/** What the vault has for a typed text, as the current view may see it. An older answer never replaces a newer one. */
export function usePaletteHits(text: string): PaletteHits {
  const as = useViewAs((state) => state.as?.id)
  const [hits, setHits] = useState(none)
  const [guard] = useState(createRequestGuard)
  useEffect(() => {
    const isCurrent = guard.start()
    if (text === '') {
      setHits({ ...none, as })
      return
    }
    const timer = setTimeout(() => {
      searchVault(text, as, (found) => {
        if (isCurrent()) setHits(found)
        return isCurrent()
      }).catch((problem) => {
        handleBackgroundError(problem)
        if (isCurrent()) setHits({ ...none, text, isPart: true, as })
      })
    }, DELAY_MS)
    return () => clearTimeout(timer)
  }, [text, as, guard])
  // One application may not see what another one sees.
  return hits.as === as ? hits : { ...none, as, isDone: text === '' }
}

/** Where hits open, and which view of the screen shows them. */
const places: Readonly<Record<PaletteKind, { readonly screen: Screen; readonly view?: string }>> = {
  token: { screen: 'tokens' },
  request: { screen: 'requests' },
  document: { screen: 'documents' },
  three_ds_session: { screen: 'sessions' },
  session: { screen: 'sessions', view: 'sessions' },
  token_intent: { screen: 'sessions', view: 'intents' },
  merchant: { screen: 'merchants' },
  agent: { screen: 'agents' },
  delivery: { screen: 'webhooks' },
}

type FoundGroup = { readonly label: string; readonly entries: readonly Command[] }

/**
 * The hits as entries, by group, with an entry that lists all where a list can show them. What has the typed id comes
 * before what only mentions it.
 */
export function toHitGroups({ groups, text }: PaletteHits, isOwner: boolean): readonly FoundGroup[] {
  const hasId = ({ hits }: (typeof groups)[number]) => hits.some(({ id }) => id === text)
  const ordered = groups.toSorted((one, other) => Number(hasId(other)) - Number(hasId(one)))
  return ordered.map(({ kind, hits, total }) => {
    const all = total === hits.length ? [] : listAll(kind, text, isOwner)
    return {
      label: t.counted(t.kinds[kind], hits.length, total),
      entries: [...hits.map((hit) => toEntry(kind, hit)), ...all],
    }
  })
}

function toEntry(kind: PaletteKind, hit: PaletteHit): Command {
  const { screen } = places[kind]
  const target = toTarget(kind, hit)
  const { id, name, type, detail, at } = hit
  return {
    id: `${kind}-${id}`,
    group: t.kinds[kind],
    label: type === undefined ? name : `${getTypeName(type)} ${name}`,
    ...(kind === 'token' && { masked: name }),
    icon: kind === 'token' && type !== undefined ? getTypeIcon(type) : screens[screen].icon,
    ...(detail !== undefined && { detail }),
    ...(at !== undefined && { at }),
    ...(target.id !== null && kind !== 'delivery' && kind !== 'agent' && { target }),
    isHit: true,
    run: goTo(target.screen, target.id, target.query),
  }
}

function toTarget(kind: PaletteKind, { id, webhook_id }: PaletteHit): EntryTarget {
  const { screen, view } = places[kind]
  if (kind === 'merchant') return { screen, id: null, query: {} }
  if (webhook_id !== undefined) return { screen, id: webhook_id, query: { view: 'deliveries', delivery: id } }
  return { screen, id, query: view === undefined ? {} : { view } }
}

/** SECURITY: a list's filter is in the address, so a key or a card number gets no such entry. */
function listAll(kind: PaletteKind, text: string, isOwner: boolean): Command[] {
  const screen = places[kind].screen
  const q = kind === 'token' ? text : /^[1-5](\d\d|xx)$/i.test(text) ? `status:${text}` : null
  if ((kind !== 'token' && kind !== 'request') || q === null || !isOwner || isSecret(text)) return []
  return [
    {
      id: `all-${kind}`,
      group: t.kinds[kind],
      label: t.all(t.kinds[kind]),
      icon: 'filter',
      isOnce: true,
      run: goTo(screen, null, { q }),
    },
  ]
}

/** Deletions of the found tokens and documents, which ask as elsewhere. */
export function toDeletions({ groups }: PaletteHits): Command[] {
  return groups.flatMap(({ kind, hits }) =>
    kind === 'token' || kind === 'document'
      ? hits.map((hit): Command => {
          const { label, masked: _, ...entry } = toEntry(kind, hit)
          return {
            ...entry,
            group: t.deletions,
            id: `delete-${hit.id}`,
            isOnce: true,
            label: t.remove(label),
            run: goTo(places[kind].screen, hit.id, { remove: '1' }),
          }
        })
      : [],
  )
}
