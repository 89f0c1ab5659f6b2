import { type ComponentType, lazy } from 'react'
import { type Screen, screenNames } from '../../parts/navigation/route-text.ts'
import { screens } from './screens.ts'

const loaded = new Map<Screen, ComponentType>()

async function load(screen: Screen): Promise<ComponentType> {
  const component = await screens[screen].load()
  loaded.set(screen, component)
  return component
}

const lazyOf = (screen: Screen) => lazy(async () => ({ default: await load(screen) }))
const lazies: Record<Screen, ComponentType> = {
  home: lazyOf('home'),
  tokens: lazyOf('tokens'),
  applications: lazyOf('applications'),
  requests: lazyOf('requests'),
  playground: lazyOf('playground'),
  settings: lazyOf('settings'),
}

/** A screen's component. One that is loaded shows at once; React would keep a lazy one back for a third of a second. */
export function screenOf(screen: Screen): ComponentType {
  return loaded.get(screen) ?? lazies[screen]
}

/** Has screens that could not be loaded be loaded again when they are opened next. */
export function retryScreens(): void {
  for (const screen of screenNames) lazies[screen] = lazyOf(screen)
}

/**
 * Loads what is opened most, while nothing else is to be done, so that it is here even when Coffer is not. Whoever opens
 * a screen is told when it cannot be loaded.
 */
export function loadWhileIdle(): () => void {
  const idle = requestIdleCallback(async () => {
    // Opening the screen loads it again, and says where that fails.
    for (const screen of ['tokens', 'applications', 'requests', 'home', 'settings'] as const)
      await load(screen).catch(() => {})
  })
  return () => cancelIdleCallback(idle)
}
