import { type ComponentType, lazy } from 'react'
import { type Screen, screenNames } from '../../parts/navigation/route-text.ts'
import { screens } from './screens.ts'

const loaded = new Map<Screen, ComponentType>()

async function loadScreen(screen: Screen): Promise<ComponentType> {
  const component = await screens[screen].load()
  loaded.set(screen, component)
  return component
}

const createLazyScreen = (screen: Screen) => lazy(async () => ({ default: await loadScreen(screen) }))
const lazies: Record<Screen, ComponentType> = {
  home: createLazyScreen('home'),
  tokens: createLazyScreen('tokens'),
  documents: createLazyScreen('documents'),
  applications: createLazyScreen('applications'),
  proxies: createLazyScreen('proxies'),
  reactors: createLazyScreen('reactors'),
  webhooks: createLazyScreen('webhooks'),
  requests: createLazyScreen('requests'),
  playground: createLazyScreen('playground'),
  settings: createLazyScreen('settings'),
}

/**
 * Returns a screen's component. A component that is already loaded renders immediately, whereas React delays
 * a lazy one by 300 ms.
 */
export function getScreenComponent(screen: Screen): ComponentType {
  return loaded.get(screen) ?? lazies[screen]
}

/** Allows screens that failed to load to be loaded again when they are next opened. */
export function retryScreens(): void {
  for (const screen of screenNames) lazies[screen] = createLazyScreen(screen)
}

/**
 * Loads the most used screens while the browser is idle, so that they open even when Coffer is unreachable.
 * If loading fails, the error is reported when the screen is opened.
 */
export function loadWhileIdle(): () => void {
  const idle = requestIdleCallback(async () => {
    // Failures are ignored: opening the screen loads it again and reports the failure.
    for (const screen of ['tokens', 'applications', 'requests', 'home', 'settings'] as const)
      await loadScreen(screen).catch(() => {})
  })
  return () => cancelIdleCallback(idle)
}
