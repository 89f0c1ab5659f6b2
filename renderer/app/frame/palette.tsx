import { Spotlight } from '@mantine/spotlight'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { HostStatus, VaultSummary } from '../../../shared/host.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { useLooking } from '../../parts/access/looking.ts'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { useProxies } from '../../parts/proxies/proxies-store.ts'
import { useReactors } from '../../parts/reactors/reactors-store.ts'
import { OpenVault } from '../../parts/vaults/open-vault.tsx'
import { useWebhooks } from '../../parts/webhooks/webhooks-store.ts'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { markedText } from '../../ui/text/marked-text.tsx'
import { type Command, commandsOf, openFoundCommand } from './palette-commands.ts'
import { isWholeId, rank, withRecent } from './palette-rank.ts'
import { forgetUsed, markFirst, paletteStore, used, useRecent } from './palette-store.ts'
import { strings } from './strings.ts'
import { useFound } from './use-found.ts'

const t = strings.palette
/** The most hits shown; typing more narrows them down. */
const MOST = 60
const LIST = 'palette-hits'

/** Finds every command of the window by a few letters. */
export function Palette({ status, showShortcuts }: { status: HostStatus; showShortcuts: () => void }) {
  const { applications } = useApplications()
  const { rows: proxies } = useProxies()
  const { rows: reactors } = useReactors()
  const { rows: webhooks } = useWebhooks()
  const isLooking = useLooking(({ as }) => as !== null)
  const [query, setQuery] = useState('')
  const [opening, setOpening] = useState<VaultSummary | null>(null)
  const { ids: recent } = useRecent()
  const openVault = (vault: VaultSummary) => leaving(() => setOpening(vault))
  const commands = commandsOf({
    status,
    applications,
    proxies,
    reactors,
    webhooks,
    isLooking,
    showShortcuts,
    openVault,
  })
  const typed = query.trim()
  const isKnown = commands.some(({ ids }) => ids?.includes(typed.toLowerCase()))
  const found = useFound(isKnown ? '' : typed)
  const ranked = typed === '' ? withRecent(commands, recent, t.recent) : rank(commands, typed)
  const offered = ranked.slice(0, MOST)
  const shown = found && found.is !== 'not there' ? [openFoundCommand(found), ...offered] : offered
  const first = shown[0]?.id
  // A late hit goes to the top, because Enter runs the first entry.
  useEffect(() => {
    if (first === 'open-token' || first === 'open-document') markFirst(LIST)
  }, [first])
  useEffect(() => forgetUsed, [])
  /** What had the focus before the palette opened. */
  const before = useRef<Element | null>(null)
  const picked = useRef<Command | null>(null)
  /** Returns the focus first: what was picked may move it. */
  function closed() {
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
        onSpotlightClose={closed}
        query={query}
        onQueryChange={setQuery}
        attributes={{ content: { 'aria-label': strings.palette.button } }}
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
        {shown.length > 0 ? (
          <Spotlight.ActionsList id={LIST}>
            {groupsOf(shown).map(([group, entries]) => (
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
            {found?.is !== 'not there' ? t.nothing : isWholeId(found.id) ? t.neither : t.noToken}
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
      label={markedText(label)}
      leftSection={<Icon name={icon} />}
      {...(shortcut && { rightSection: <Key of={shortcut} /> })}
      onClick={() => {
        used(id)
        onPick()
      }}
    />
  )
}

/** Entries by group, in the order in which the groups first appear. */
function groupsOf(entries: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>()
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry])
  return [...groups]
}
