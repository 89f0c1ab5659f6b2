import { type ComponentType, lazy } from 'react'
import type { Screen } from '../../parts/navigation/screens.ts'

const loaders: Readonly<Record<Screen, () => Promise<ComponentType>>> = {
  home: async () => (await import('../../screens/home/home.tsx')).Home,
  tokens: async () => (await import('../../screens/tokens/tokens.tsx')).Tokens,
  documents: async () => (await import('../../screens/documents/documents.tsx')).Documents,
  applications: async () => (await import('../../screens/applications/applications.tsx')).Applications,
  proxies: async () => (await import('../../screens/proxies/proxies.tsx')).Proxies,
  reactors: async () => (await import('../../screens/reactors/reactors.tsx')).Reactors,
  webhooks: async () => (await import('../../screens/webhooks/webhooks.tsx')).Webhooks,
  requests: async () => (await import('../../screens/requests/requests.tsx')).Requests,
  playground: async () => (await import('../../screens/playground/playground.tsx')).Playground,
  sessions: async () => (await import('../../screens/sessions/sessions.tsx')).Sessions,
  agents: async () => (await import('../../screens/agents/agents.tsx')).Agents,
  merchants: async () => (await import('../../screens/merchants/merchants.tsx')).Merchants,
  settings: async () => (await import('../../screens/settings/settings.tsx')).Settings,
}

const loaded = new Map<Screen, ComponentType>()
const lazies = new Map<Screen, ComponentType>()

async function loadScreen(screen: Screen): Promise<ComponentType> {
  const component = await loaders[screen]()
  loaded.set(screen, component)
  return component
}

function getLazyScreen(screen: Screen): ComponentType {
  const known = lazies.get(screen)
  if (known) return known
  const created = lazy(async () => ({ default: await loadScreen(screen) }))
  lazies.set(screen, created)
  return created
}

/** Returns a screen's component. A loaded one renders at once, whereas React delays a lazy one by 300 ms. */
export function getScreenComponent(screen: Screen): ComponentType {
  return loaded.get(screen) ?? getLazyScreen(screen)
}

/** Allows screens that failed to load to be loaded again when they are next opened. */
export function retryScreens(): void {
  lazies.clear()
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
