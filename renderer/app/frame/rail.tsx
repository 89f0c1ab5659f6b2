import { useEffect } from 'react'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { toSavedHref } from '../../parts/filters/saved-href.ts'
import { loadSaved, useSaved } from '../../parts/filters/saved-store.ts'
import { getScreenHref } from '../../parts/navigation/last-queries.ts'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { type Screen, screens } from '../../parts/navigation/screens.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { createLazy, LazyView } from '../../ui/lazy-view.tsx'
import { Logo } from '../../ui/logo.tsx'
import navLinkStyles from '../../ui/nav-link.module.css'
import { MarkedText, markText } from '../../ui/text/marked-text.tsx'
import styles from './frame.module.css'
import { getShortcut, railGroups } from './rail-groups.ts'
import { strings as t } from './strings.ts'

const pinnedCount = createLazy(async () => (await import('./pinned-count.tsx')).PinnedCount)

/** Navigation between the screens. A narrow window shows only icons. */
export function Rail() {
  const { screen: current } = useRoute()
  return (
    <nav className={styles.rail} aria-label={t.navigation}>
      <div className={styles.railBrand}>
        <Logo />
        <span>{t.product}</span>
      </div>
      {railGroups.map(({ label, screens }) =>
        label === undefined ? (
          screens.map((screen) => <RailLink key={screen} screen={screen} isCurrent={screen === current} />)
        ) : (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields, not links
          <div key={label} role="group" aria-label={label} className={styles.railGroup}>
            <span className={styles.railLabel} aria-hidden="true">
              {label}
            </span>
            {screens.map((screen) => (
              <RailLink key={screen} screen={screen} isCurrent={screen === current} />
            ))}
          </div>
        ),
      )}
      <PinnedFilters />
      <div className="space" />
      <button type="button" className={`unstyled ${navLinkStyles.root}`} onClick={lockVault} title={t.lock}>
        <Icon name="lock" />
        <span>{t.lock}</span>
        <Key of="mod+l" />
      </button>
    </nav>
  )
}

function PinnedFilters() {
  const { saved } = useSaved()
  const isOwner = useIsOwner()
  const { screen, query } = useRoute()
  useEffect(() => keepCurrent(loadSaved, ['saved_search']), [])
  const pinned = isOwner ? saved?.filter((search) => search.pinned) : undefined
  if (!pinned?.length) return null
  const here = toHref(screen, null, query)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields, not links
    <div role="group" aria-label={t.pinned} className={styles.railGroup}>
      <span className={styles.railLabel} aria-hidden="true">
        {t.pinned}
      </span>
      {pinned.map((search) => {
        const href = toSavedHref(search)
        return (
          <a
            key={search.id}
            className={navLinkStyles.root}
            href={href}
            aria-current={href === here ? 'page' : undefined}
            title={markText(search.name)}
          >
            <b className={styles.railInitials} aria-hidden="true">
              {formatInitials(search.name)}
            </b>
            <Icon name="pin" />
            <span className="clip">
              <MarkedText text={search.name} />
            </span>
            <LazyView of={pinnedCount} props={{ search }} />
          </a>
        )
      })}
    </div>
  )
}

/** The first letters of the first two words of a name. */
function formatInitials(name: string): string {
  const words = markText(name).split(/[^\p{L}\p{N}]+/u)
  return words
    .flatMap((word) => [...word].slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase()
}

function RailLink({ screen, isCurrent }: { screen: Screen; isCurrent: boolean }) {
  const { name, icon } = screens[screen]
  const shortcut = getShortcut(screen)
  return (
    <a
      className={navLinkStyles.root}
      href={toHref(screen)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        navigate(getScreenHref(screen))
      }}
      aria-current={isCurrent ? 'page' : undefined}
      title={name}
    >
      <Icon name={icon} />
      <span>{name}</span>
      {shortcut !== null && <Key of={shortcut} />}
    </a>
  )
}
