import { Spotlight } from '@mantine/spotlight'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import { useSharedRows } from '../../parts/access/resource-lists.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { useSaved } from '../../parts/filters/saved-store.ts'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { OpenVault } from '../../parts/vaults/open-vault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { type Command, createOpenByIdCommand, listCommands } from './palette-commands.ts'
import { addRecent, isFullId, rankEntries } from './palette-rank.ts'
import { paletteStore, rememberUsed, selectFirst, useRecent } from './palette-store.ts'
import { strings as t } from './palette-strings.ts'
import { strings } from './strings.ts'
import { useIdLookup } from './use-id-lookup.ts'

const MAX_HITS = 60
const LIST_ID = 'palette-hits'

export function Palette({ status, showShortcuts }: { status: HostStatus; showShortcuts: () => void }) {
  const rows = useSharedRows()
  const viewedAs = useViewAs(({ as }) => as?.id ?? null)
  const { saved } = useSaved()
  const [query, setQuery] = useState('')
  const [opening, setOpening] = useState<VaultSummary | null>(null)
  const { ids: recent } = useRecent()
  const openVault = (vault: VaultSummary) => confirmLeave(() => setOpening(vault))
  const commands = listCommands({
    status,
    rows,
    viewedAs,
    saved: viewedAs === null ? (saved ?? []) : [],
    showShortcuts,
    openVault,
  })
  const input = query.trim()
  const isKnown = commands.some(({ ids }) => ids?.includes(input.toLowerCase()))
  const lookup = useIdLookup(isKnown ? '' : input)
  const ranked = input === '' ? addRecent(commands, recent, t.recent) : rankEntries(commands, input)
  const offered = ranked.slice(0, MAX_HITS)
  const visible = lookup && lookup.is !== 'not there' ? [createOpenByIdCommand(lookup), ...offered] : offered
  const first = visible[0]?.id
  // The lookup result arrives late and becomes the first entry. Select it, because Enter runs the selected
  // entry.
  useEffect(() => {
    if (first === 'open-token' || first === 'open-document') selectFirst(LIST_ID)
  }, [first])
  /** The element that had the focus before the palette opened. */
  const before = useRef<Element | null>(null)
  const picked = useRef<Command | null>(null)
  /** Restores the focus before the command runs, because the command may move it. */
  function handleClose() {
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true })
    const command = picked.current
    picked.current = null
    command?.run()
  }
  return (
    <>
      <Spotlight.Root
        store={paletteStore}
        shortcut={null}
        returnFocus={false}
        onSpotlightOpen={() => {
          before.current = document.activeElement
        }}
        onSpotlightClose={handleClose}
        query={query}
        onQueryChange={setQuery}
        attributes={{ content: { 'aria-label': strings.palette } }}
        centered={false}
        yOffset="12vh"
        scrollable
        maxHeight={460}
        size={560}
        lockScroll={false}
        overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
        transitionProps={{ duration: 80 }}
      >
        <Spotlight.Search
          placeholder={t.placeholder}
          aria-label={t.placeholder}
          leftSection={<Icon name="search" />}
        />
        {visible.length > 0 ? (
          <Spotlight.ActionsList id={LIST_ID}>
            {groupCommands(visible).map(([group, entries]) => (
              <Spotlight.ActionsGroup key={group} label={group}>
                {entries.map((entry) => (
                  <Action
                    key={entry.id}
                    entry={entry}
                    onPick={() => {
                      picked.current = entry
                    }}
                  />
                ))}
              </Spotlight.ActionsGroup>
            ))}
          </Spotlight.ActionsList>
        ) : (
          <Spotlight.Empty>
            {lookup?.is !== 'not there' ? t.nothing : isFullId(lookup.id) ? t.neither : t.noToken}
          </Spotlight.Empty>
        )}
      </Spotlight.Root>
      {opening && status.vault && (
        <OpenVault vault={opening} instead={status.vault} onClose={() => setOpening(null)} />
      )}
    </>
  )
}

type ActionProps = { readonly entry: Command; readonly onPick: () => void }

function Action({ entry: { id, label, icon, shortcut }, onPick }: ActionProps): ReactNode {
  return (
    <Spotlight.Action
      label={markText(label)}
      leftSection={<Icon name={icon} />}
      {...(shortcut && { rightSection: <Key of={shortcut} /> })}
      onClick={() => {
        rememberUsed(id)
        onPick()
      }}
    />
  )
}

function groupCommands(entries: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>()
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry])
  return [...groups]
}
