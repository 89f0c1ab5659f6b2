import type { ComponentType } from 'react'
import { type Screen, screenNames } from '../../parts/navigation/route-text.ts'
import type { IconName } from '../../ui/icon.tsx'
import { strings } from './strings.ts'

type ScreenEntry = {
  readonly name: string
  readonly icon: IconName
  /** The explanation of the screen while the window shows an application's view. */
  readonly viewAsNote: string
  readonly load: () => Promise<ComponentType>
}

/** The rail's groups: screens that hold data, and screens for integrations. */
export const railGroups: readonly { readonly label: string | null; readonly screens: readonly Screen[] }[] = [
  { label: null, screens: ['home'] },
  { label: strings.rail.data, screens: ['tokens', 'documents', 'applications'] },
  { label: strings.rail.integrations, screens: ['proxies', 'reactors', 'webhooks', 'requests'] },
  { label: null, screens: ['playground', 'settings'] },
]

/**
 * The shortcut of a screen: its digit in the order of the rail, or the comma for settings. Null after the ninth screen,
 * because there is no such digit.
 */
export function getShortcut(screen: Screen, order: readonly Screen[] = screenNames): string | null {
  if (screen === 'settings') return 'mod+,'
  const position = order.indexOf(screen) + 1
  return position <= 9 ? `mod+${position}` : null
}

/** What the frame needs to know about each screen, in the order of `screenNames`. */
export const screens: Readonly<Record<Screen, ScreenEntry>> = {
  home: {
    name: 'Home',
    icon: 'home',
    viewAsNote: 'Home shows the owner’s view, not the application’s.',
    load: async () => (await import('../../screens/home/home.tsx')).Home,
  },
  tokens: {
    name: 'Tokens',
    icon: 'token',
    viewAsNote: 'The list and every token show what the application’s key would get.',
    load: async () => (await import('../../screens/tokens/tokens.tsx')).Tokens,
  },
  documents: {
    name: 'Documents',
    icon: 'document',
    viewAsNote:
      'A document shows what the application’s key would get. Only the owner can list, upload and reveal documents here.',
    load: async () => (await import('../../screens/documents/documents.tsx')).Documents,
  },
  applications: {
    name: 'Applications',
    icon: 'app',
    viewAsNote:
      'The lists show what the application’s key would get. Only the owner can change applications and keys here.',
    load: async () => (await import('../../screens/applications/applications.tsx')).Applications,
  },
  proxies: {
    name: 'Proxies',
    icon: 'proxy',
    viewAsNote:
      'The list shows what the application’s key would get. Only the owner can change proxies and see saved calls.',
    load: async () => (await import('../../screens/proxies/proxies.tsx')).Proxies,
  },
  reactors: {
    name: 'Reactors',
    icon: 'bolt',
    viewAsNote:
      'The list shows what the application’s key would get. Only the owner can change and try reactors here.',
    load: async () => (await import('../../screens/reactors/reactors.tsx')).Reactors,
  },
  webhooks: {
    name: 'Webhooks',
    icon: 'bell',
    viewAsNote:
      'The list shows what the application’s key would get. Only the owner can change webhooks and see deliveries here.',
    load: async () => (await import('../../screens/webhooks/webhooks.tsx')).Webhooks,
  },
  requests: {
    name: 'Requests',
    icon: 'activity',
    viewAsNote: 'The log shows what the application’s key would get. You choose who sends a request.',
    load: async () => (await import('../../screens/requests/requests.tsx')).Requests,
  },
  playground: {
    name: 'Playground',
    icon: 'braces',
    viewAsNote: 'The playground is the same for everyone.',
    load: async () => (await import('../../screens/playground/playground.tsx')).Playground,
  },
  settings: {
    name: 'Settings',
    icon: 'sliders',
    viewAsNote: 'Settings show the owner’s view, not the application’s.',
    load: async () => (await import('../../screens/settings/settings.tsx')).Settings,
  },
}
