import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { followApplications } from '../../parts/access/application-names.ts'
import { useFollowed } from '../../parts/access/followed-list.ts'
import { sharedLists } from '../../parts/access/resource-lists.ts'
import { useViewAs } from '../../parts/access/view-as.ts'
import { BulkStrip } from '../../parts/bulk/bulk-strip.tsx'
import { getScreenHref } from '../../parts/navigation/last-queries.ts'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { type Screen, screenNames, screens } from '../../parts/navigation/screens.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { createLazy, LazyView } from '../../ui/lazy-view.tsx'
import { ClockStrip } from './clock-strip.tsx'
import styles from './frame.module.css'
import { Header } from './header.tsx'
import { LockMemory } from './lock-memory.tsx'
import { palette } from './palette-store.ts'
import { Rail } from './rail.tsx'
import { getShortcut } from './rail-groups.ts'
import { ScreenBoundary } from './screen-boundary.tsx'
import { getScreenComponent, loadWhileIdle } from './screen-component.ts'
import { ShortcutList } from './shortcut-list.tsx'
import { strings } from './strings.ts'
import { ViewAsBanner } from './view-as-menu.tsx'

const newRecoveryKey = createLazy(
  async () => (await import('../../parts/vaults/new-recovery-key.tsx')).NewRecoveryKey,
)
const paletteDialog = createLazy(async () => (await import('./palette.tsx')).Palette)

export function Frame({ status }: { status: HostStatus }) {
  const { screen } = useRoute()
  const { as } = useViewAs()
  const [shortcuts, setShortcuts] = useState(false)
  const content = useRef<HTMLElement>(null)
  useKeys({
    'mod+k': palette.open,
    'mod+l': lockVault,
    '?': () => setShortcuts(true),
    ...Object.fromEntries(
      screenNames.flatMap((each) => {
        const shortcut = getShortcut(each)
        return shortcut === null ? [] : [[shortcut, () => navigate(getScreenHref(each))]]
      }),
    ),
  })
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
            <Suspense fallback={null}>
              <CurrentScreen key={as?.id ?? 'owner'} screen={screen} />
            </Suspense>
          </ScreenBoundary>
        </main>
        <BulkStrip />
      </div>
      <LazyView of={paletteDialog} props={{ status, showShortcuts: () => setShortcuts(true) }} />
      {status.vault && <LazyView of={newRecoveryKey} props={{ name: status.vault.name }} />}
      <LockMemory />
      {sharedLists.map((list) => (
        <FollowList key={list.entity} list={list} />
      ))}
      {shortcuts && <ShortcutList onClose={() => setShortcuts(false)} />}
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
