import { go, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf, screenNames } from '../../parts/navigation/route-text.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { Logo } from '../../ui/logo.tsx'
import { screens } from './screens.ts'
import { strings } from './strings.ts'

const t = strings

/** Navigation between the screens; only icons in a narrow window. */
export function Rail() {
  const { screen: current } = useRoute()
  return (
    <nav className="rail" aria-label={t.navigation}>
      <div className="rail-brand">
        <Logo />
        <span>{t.product}</span>
      </div>
      {screenNames.map((screen, index) => (
        <a
          key={screen}
          className="rail-link"
          href={hrefOf(screen)}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            go(hrefOf(screen))
          }}
          aria-current={screen === current ? 'page' : undefined}
          title={screens[screen].name}
        >
          <Icon name={screens[screen].icon} />
          <span>{screens[screen].name}</span>
          <Key of={`mod+${index + 1}`} />
        </a>
      ))}
      <div className="rail-space" />
      <button type="button" className="unstyled rail-link" onClick={lockVault} title={t.lock}>
        <Icon name="lock" />
        <span>{t.lock}</span>
        <Key of="mod+l" />
      </button>
    </nav>
  )
}
