import { Group, Stack } from '@mantine/core'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { type ClockAhead, formatClockAhead } from '../../../shared/clock-ahead.ts'
import type { HostStatus } from '../../../shared/host/status.ts'
import { followApplications } from '../../parts/access/application-names.ts'
import { useFollowed } from '../../parts/access/followed-list.ts'
import { sharedLists } from '../../parts/access/resource-lists.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { host } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { getScreenHref } from '../../parts/navigation/last-queries.ts'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { type Screen, screenNames, screens } from '../../parts/navigation/screens.ts'
import { TypeAhead } from '../../parts/navigation/search-keys.ts'
import { lockNow, lockVault, useLockQuestion } from '../../parts/vaults/lock.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { useSaveKey } from '../../ui/keys/save-key.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { createLazy, LazyView } from '../../ui/lazy-view.tsx'
import { strings as ui } from '../../ui/strings.ts'
import styles from './frame.module.css'
import { openPalette } from './palette-store.ts'
import { Rail } from './rail.tsx'
import { getShortcut } from './rail-groups.ts'
import { ScreenBoundary } from './screen-boundary.tsx'
import { getScreenComponent, loadWhileIdle } from './screen-component.ts'
import { strings } from './strings.ts'
import { VaultMenu } from './vault-menu.tsx'
import { ViewAsBanner, ViewAsMenu } from './view-as-menu.tsx'

const newRecoveryKey = createLazy(
  async () => (await import('../../parts/vaults/new-recovery-key.tsx')).NewRecoveryKey,
)
const bulkStrip = createLazy(async () => (await import('../../parts/bulk/bulk-strip.tsx')).BulkStrip)
const clockMenu = createLazy(async () => (await import('./clock-menu.tsx')).ClockMenu)
const shortcutList = createLazy(async () => (await import('./shortcut-list.tsx')).ShortcutList)
const paletteDialog = createLazy(async () => (await import('./palette.tsx')).Palette)

export function Frame({ status }: { status: HostStatus }) {
  const { screen } = useRoute()
  const { as } = useViewAs()
  const [shortcuts, setShortcuts] = useState(false)
  const content = useRef<HTMLElement>(null)
  useKeys({
    'mod+k': openPalette,
    'mod+l': lockVault,
    '?': () => setShortcuts(true),
    ...Object.fromEntries(
      screenNames.flatMap((each) => {
        const shortcut = getShortcut(each)
        return shortcut === null ? [] : [[shortcut, () => navigate(getScreenHref(each))]]
      }),
    ),
  })
  useSaveKey()
  useEffect(followApplications, [])
  useEffect(loadWhileIdle, [])
  const before = useRef(screen)
  useEffect(() => {
    if (before.current === screen) return
    before.current = screen
    // Focus the content, unless a screen that opens with a form has already focused a field.
    if (!content.current?.contains(document.activeElement)) content.current?.focus({ preventScroll: true })
  }, [screen])
  useEffect(() => {
    document.title = `${screens[screen].name} · ${strings.product}`
  }, [screen])
  return (
    <div className={as ? `${styles.root} ${styles.looking}` : styles.root}>
      <button type="button" className={`unstyled ${styles.skip}`} onClick={() => content.current?.focus()}>
        {strings.skip}
      </button>
      <Rail />
      <div className={styles.main}>
        <Header status={status} />
        {status.vault?.clock_ahead && <ClockStrip ahead={status.vault.clock_ahead} />}
        {as && <ViewAsBanner id={as.id} name={as.name} />}
        <main className={styles.content} ref={content} tabIndex={-1} aria-label={screens[screen].name}>
          <ScreenBoundary key={screen}>
            <Suspense fallback={<TypeAhead />}>
              <CurrentScreen key={as?.id ?? 'owner'} screen={screen} />
            </Suspense>
          </ScreenBoundary>
        </main>
        <LazyView of={bulkStrip} props={{}} />
      </div>
      <LazyView of={paletteDialog} props={{ status, showShortcuts: () => setShortcuts(true) }} />
      {status.vault && <LazyView of={newRecoveryKey} props={{ name: status.vault.name }} />}
      <LockMemory />
      {sharedLists.map((list) => (
        <FollowList key={list.entity} list={list} />
      ))}
      {/* Fetched at once, so that it opens without a connection too. */}
      <LazyView of={shortcutList} props={{ isOpen: shortcuts, onClose: () => setShortcuts(false) }} />
    </div>
  )
}

function FollowList({ list }: { list: (typeof sharedLists)[number] }) {
  useFollowed(list)
  return null
}

function CurrentScreen({ screen }: { screen: Screen }) {
  // Keeps the component while the screen is open, even if a lazy screen finishes loading in between.
  const Current = useMemo(() => getScreenComponent(screen), [screen])
  return <Current />
}

/** The bar above every screen: vault, listener, view-as menu, palette. */
function Header({ status }: { status: HostStatus }) {
  return (
    <header className={styles.bar}>
      {status.vault && <VaultMenu vault={status.vault} vaults={status.vaults} />}
      <ListenerPill status={status} />
      {status.vault?.protection === 'memory' && <LazyView of={clockMenu} props={status.vault} />}
      <div className="space" />
      <ViewAsMenu />
      <button type="button" className={`${styles.barButton} ${styles.barSearch}`} onClick={openPalette}>
        <Icon name="search" size={14} />
        <span className="visually-hidden">{strings.palette}</span>
        <Key of="mod+k" />
      </button>
    </header>
  )
}

/** Asks the owner to confirm a clock that is far ahead, because expired data would be deleted for good. */
function ClockStrip({ ahead }: { ahead: ClockAhead }) {
  const t = strings.clock
  const [wrong, setWrong] = useState(false)
  const { runAction, state } = useAction()
  const acceptClock = () => runAction(() => host.acceptClock().catch(showFailureToast))
  return (
    <div className={styles.clockStrip} role="alert">
      <Icon name="alert" size={14} />
      <span>{wrong ? t.setIt : `${formatClockAhead(ahead)} ${t.waiting}`}</span>
      <ActionButton
        label={t.right}
        size="compact-xs"
        variant="light"
        color="amber"
        loading={state === 'running'}
        onClick={() => void acceptClock()}
      />
      {!wrong && <ActionButton label={t.wrong} size="compact-xs" onClick={() => setWrong(true)} />}
    </div>
  )
}

/** Asks before an in-memory vault is locked, because locking deletes it. */
function LockMemory() {
  const t = strings.vault
  const { isOpen } = useLockQuestion()
  const closeQuestion = () => useLockQuestion.setState({ isOpen: false })
  if (!isOpen) return null
  return (
    <Dialog onClose={closeQuestion} title={t.lockMemory} size={400}>
      <Stack gap="sm">
        <span>{t.lockMemoryText}</span>
        <Group justify="flex-end" gap="xs">
          <ActionButton label={ui.cancel} onClick={closeQuestion} data-autofocus />
          <ActionButton variant="filled" label={t.lockMemoryAction} color="red" onClick={lockNow} />
        </Group>
      </Stack>
    </Dialog>
  )
}
