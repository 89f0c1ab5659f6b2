import { Group } from '@mantine/core'
import { Spotlight, useSpotlight } from '@mantine/spotlight'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import { useFollowed } from '../../parts/access/followed-list.ts'
import { useSharedRows } from '../../parts/access/resource-lists.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { checkoutList } from '../../parts/checkouts/checkouts.ts'
import { host } from '../../parts/connection/vault.ts'
import { useSaved } from '../../parts/filters/saved-store.ts'
import { Confirm } from '../../parts/forms/confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { pinRow } from '../../parts/navigation/pinnable.tsx'
import { navigate, readCurrentRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { confirmLeave } from '../../parts/navigation/unsaved.ts'
import { OpenVault } from '../../parts/vaults/open-vault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Masked } from '../../ui/text/masked.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import styles from './palette.module.css'
import { type Command, type EntryTarget, listCommands } from './palette-commands.ts'
import { type PaletteHits, usePaletteHits } from './palette-hits.ts'
import { listVisible, type VisibleGroup } from './palette-list.ts'
import { readMode } from './palette-mode.ts'
import {
  forgetQuery,
  paletteStore,
  rememberUsed,
  runSelected,
  selectFirst,
  useRecent,
} from './palette-store.ts'
import { strings as t } from './palette-strings.ts'
import { strings } from './strings.ts'
import { type Evaluation, usePaletteResult } from './use-palette-result.ts'

const LIST_ID = 'palette-hits'

export function Palette({ status, showShortcuts }: { status: HostStatus; showShortcuts: () => void }) {
  const { query } = useSpotlight(paletteStore)
  const [opening, setOpening] = useState<VaultSummary | null>(null)
  const [resetting, setResetting] = useState(false)
  const { mode, text, found, isSecret } = readMode(query)
  const hits = usePaletteHits(found)
  const evaluation = usePaletteResult(mode === 'evaluate' && !isSecret ? text : '')
  const isDone = mode === 'evaluate' ? evaluation.isDone : hits.isDone && hits.text === found
  const groups = useVisibleGroups(
    { query, hits, evaluation },
    {
      status,
      showShortcuts,
      openVault: (vault) => confirmLeave(() => setOpening(vault)),
      askReset: () => confirmLeave(() => setResetting(true)),
    },
  )
  const running = useRunning({ query, isDone, first: groups[0]?.entries[0] })
  useEffect(() => forgetQuery, [])
  return (
    <>
      <Spotlight.Root
        store={paletteStore}
        shortcut={null}
        returnFocus={false}
        onSpotlightOpen={running.onOpen}
        onSpotlightClose={running.onClose}
        attributes={{ content: { 'aria-label': strings.palette } }}
        centered={false}
        yOffset="12vh"
        scrollable
        maxHeight={460}
        size={640}
        lockScroll={false}
        overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
        transitionProps={{ duration: 80, exitDuration: 0 }}
      >
        <Spotlight.Search
          placeholder={t.placeholder}
          aria-label={t.placeholder}
          leftSection={<Icon name="search" />}
          autoComplete="off"
          onKeyDownCapture={running.onKeyDown}
        />
        {groups.length > 0 ? (
          <Results groups={groups} onPick={running.pickEntry} />
        ) : (
          <Spotlight.Empty>{describeEmpty(query, { hits, evaluation, isDone })}</Spotlight.Empty>
        )}
        <Footer isDone={isDone} hits={hits} />
      </Spotlight.Root>
      {opening && status.vault && (
        <OpenVault vault={opening} instead={status.vault} onClose={() => setOpening(null)} />
      )}
      {resetting && <ResetVault onClose={() => setResetting(false)} />}
    </>
  )
}

type Found = { readonly query: string; readonly hits: PaletteHits; readonly evaluation: Evaluation }
type Actions = Pick<Parameters<typeof listCommands>[0], 'status' | 'showShortcuts' | 'openVault' | 'askReset'>

function useVisibleGroups(found: Found, actions: Actions): readonly VisibleGroup[] {
  const rows = useSharedRows()
  const as = useViewAs((state) => state.as?.id ?? null)
  const { saved } = useSaved()
  useFollowed(checkoutList)
  const { rows: checkouts } = checkoutList.useList()
  const { recent } = useRecent()
  const commands = listCommands({
    ...actions,
    rows,
    viewedAs: as,
    checkouts: as === null ? checkouts : [],
    saved: as === null ? (saved ?? []) : [],
  })
  const known = recent.flatMap(({ hit, as: of }) => (hit && of === as ? [hit] : []))
  return listVisible({ ...found, commands: [...commands, ...known], recent: recent.map(({ id }) => id), as })
}

type RunningOptions = {
  readonly query: string
  readonly isDone: boolean
  /** The entry that Enter runs. */
  readonly first: Command | undefined
}

/** Selects and runs entries, and returns the focus. */
function useRunning({ query, isDone, first }: RunningOptions) {
  /** The element that had the focus before the palette opened. */
  const before = useRef<Element | null>(null)
  const picked = useRef<Command | null>(null)
  const wantsPin = useRef(false)
  /** The text for whose first entry Enter waits. */
  const waitingFor = useRef<string | null>(null)
  const firstId = first?.id
  useEffect(() => {
    // What was found arrives late. Unless the owner has chosen an entry, Enter runs the first one.
    if (firstId === undefined || paletteStore.getState().selected > 0) return
    selectFirst(LIST_ID)
    if (!isDone || waitingFor.current !== query) return
    waitingFor.current = null
    runSelected(LIST_ID)
  }, [firstId, isDone, query])
  return {
    pickEntry(entry: Command) {
      rememberUsed(entry, useViewAs.getState().as?.id ?? null)
      picked.current = entry
    },
    onOpen() {
      before.current = document.activeElement
      waitingFor.current = null
    },
    /** Restores the focus before the command runs, because the command may move it. */
    onClose() {
      if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true })
      const command = picked.current
      picked.current = null
      if (command) runEntry(command, wantsPin.current)
      wantsPin.current = false
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
      wantsPin.current = event.ctrlKey || event.metaKey
      // The first entry may still answer an earlier text.
      if (isDone || (first !== undefined && !first.isHit) || paletteStore.getState().selected > 0) return
      event.preventDefault()
      event.stopPropagation()
      waitingFor.current = query
    },
  }
}

function runEntry({ target, run }: Command, wantsPin: boolean): void {
  if (!wantsPin || !target || !openPinned(target)) run()
}

/** Opens a row in the second panel, beside the open one; false without room for it. */
function openPinned({ screen, id, query }: EntryTarget): boolean {
  if (id === null || !pinRow(screen, id)) return false
  const route = readCurrentRoute()
  if (route.screen !== screen || route.query.view !== query.view) navigate(toHref(screen, null, query))
  return true
}

type ResultsProps = {
  readonly groups: readonly VisibleGroup[]
  readonly onPick: (entry: Command) => void
}

function Results({ groups, onPick }: ResultsProps) {
  return (
    <Spotlight.ActionsList id={LIST_ID} mah="min(460px, 76vh - 110px)">
      {groups.map(({ label, entries }) => (
        <Spotlight.ActionsGroup key={label} label={label}>
          {entries.map((entry) => (
            <Action key={entry.id} entry={entry} onPick={() => onPick(entry)} />
          ))}
        </Spotlight.ActionsGroup>
      ))}
    </Spotlight.ActionsList>
  )
}

type ActionProps = { readonly entry: Command; readonly onPick: () => void }

function Action({ entry, onPick }: ActionProps): ReactNode {
  const { label, icon, shortcut, detail, at, masked } = entry
  const kind = masked === undefined ? label : label.slice(0, -masked.length)
  return (
    <Spotlight.Action onClick={onPick}>
      <span className={styles.action}>
        <Icon name={icon} />
        <span className="clip">
          <MarkedText text={kind} />
          {masked !== undefined && <Masked text={masked} />}
        </span>
        {detail !== undefined && (
          <span className={`faint clip ${styles.detail}`}>
            <MarkedText text={detail} />
          </span>
        )}
        <span className="space" />
        {at !== undefined && <FaintTime at={at} />}
        {shortcut !== undefined && <Key of={shortcut} />}
      </span>
    </Spotlight.Action>
  )
}

type EmptyState = Omit<Found, 'query'> & { readonly isDone: boolean }

/** What the empty list says: that nothing matches only once that is known. */
function describeEmpty(query: string, { hits, evaluation, isDone }: EmptyState): string {
  const { mode, text, isSecret } = readMode(query)
  if (isSecret) return t.secret
  if (mode === 'evaluate') return text === '' ? t.expression : (evaluation.problem ?? t.evaluating)
  if (!isDone) return t.searching
  if (mode === 'act') return t.noAct
  return hits.isPart ? t.nothingInPart : t.nothing
}

function Footer({ isDone, hits }: { isDone: boolean; hits: PaletteHits }) {
  return (
    <Spotlight.Footer className={styles.footer}>
      <span role="status" className="clip">
        {!isDone ? t.searching : hits.isPart && t.part}
      </span>
      <span className="space" />
      {t.hints.map(([key, what]) => (
        <Group key={key} gap={4} wrap="nowrap" component="span">
          <Key of={key} /> {what}
        </Group>
      ))}
      <Group gap={4} wrap="nowrap" component="span">
        <Key of="enter" /> {t.opens}
      </Group>
      <Group gap={4} wrap="nowrap" component="span" className={styles.wide}>
        <Key of="mod+enter" /> {t.beside}
      </Group>
    </Spotlight.Footer>
  )
}

/** Asks before everything in an in-memory vault is as it was at its start. */
function ResetVault({ onClose }: { onClose: () => void }) {
  async function resetVault(): Promise<void> {
    await host.resetVault()
    showToast(t.resetDone)
  }
  return (
    <Confirm title={t.resetTitle} action={t.resetAction} onConfirm={resetVault} onClose={onClose}>
      {t.resetText}
    </Confirm>
  )
}
