import { go, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf, screens } from '../../parts/navigation/route-text.ts'
import { strings } from '../../parts/strings.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { Logo } from '../../ui/logo.tsx'
import { screenIcons } from './screens.ts'

const t = strings.frame

/** The screens, one line each; icons alone in a narrow window. */
export function Rail() {
  const { screen: current } = useRoute()
  return (
    <nav className="rail" aria-label={t.navigation}>
      <div className="rail-brand">
        <Logo />
        <span>{t.product}</span>
      </div>
      {screens.map((screen, index) => (
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
          title={t.screens[screen]}
        >
          <Icon name={screenIcons[screen]} />
          <span>{t.screens[screen]}</span>
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
