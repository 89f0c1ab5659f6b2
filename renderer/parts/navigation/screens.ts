import type { IconName } from '../../ui/icon.tsx'

type ScreenEntry = {
  readonly name: string
  readonly icon: IconName
  /** The label of its group in the navigation rail. Screens of one group are beside each other. */
  readonly group?: string
  /** The explanation of the screen while the window shows an application's view. */
  readonly viewAsNote: string
  /** The type of the entities that the screen opens by id, as the log names it. */
  readonly entity?: string
  /** Further types of entities that it opens, and the view of each. */
  readonly entityViews?: Readonly<Record<string, string>>
  /** More search terms in the palette for the entities of the screen. */
  readonly words?: string
  /** The palette's command that opens the form for a new entity. */
  readonly create?: {
    readonly label: string
    readonly words?: string
    readonly icon?: IconName
    /** Whether the window offers it while it shows an application's view too. */
    readonly isShared?: boolean
  }
}

/** The screens, in the order of the navigation rail. */
const entries = {
  home: { name: 'Home', icon: 'home', viewAsNote: 'Home shows the owner’s view, not the application’s.' },
  tokens: {
    name: 'Tokens',
    icon: 'token',
    group: 'Data',
    viewAsNote: 'The list and every token show what the application’s key would get.',
    entity: 'token',
    create: { label: 'New token', isShared: true },
  },
  documents: {
    name: 'Documents',
    icon: 'document',
    group: 'Data',
    viewAsNote:
      'A document shows what the application’s key would get. Only the owner can list, upload and reveal documents here.',
    entity: 'document',
    create: { label: 'Upload a document', words: 'file scan image pdf new' },
  },
  applications: {
    name: 'Applications',
    icon: 'app',
    group: 'Data',
    viewAsNote:
      'The lists show what the application’s key would get. Only the owner can change applications and keys here.',
    entity: 'application',
    words: 'open application',
    create: { label: 'New application' },
  },
  proxies: {
    name: 'Proxies',
    icon: 'proxy',
    group: 'Integrations',
    viewAsNote:
      'The list shows what the application’s key would get. Only the owner can change proxies and see saved calls.',
    entity: 'proxy',
    words: 'open proxy send call destination',
    create: { label: 'New proxy' },
  },
  reactors: {
    name: 'Reactors',
    icon: 'bolt',
    group: 'Integrations',
    viewAsNote:
      'The list shows what the application’s key would get. Only the owner can change and try reactors here.',
    entity: 'reactor',
    words: 'open reactor code run function formula',
    create: { label: 'New reactor' },
  },
  webhooks: {
    name: 'Webhooks',
    icon: 'bell',
    group: 'Integrations',
    viewAsNote:
      'The list shows what the application’s key would get. Only the owner can change webhooks and see deliveries here.',
    entity: 'webhook',
    words: 'open webhook events deliveries',
    create: { label: 'New webhook' },
  },
  requests: {
    name: 'Requests',
    icon: 'activity',
    group: 'Integrations',
    viewAsNote: 'The log shows what the application’s key would get. You choose who sends a request.',
    create: {
      label: 'Send a request',
      words: 'new call try test api builder curl',
      icon: 'play',
      isShared: true,
    },
  },
  playground: {
    name: 'Playground',
    icon: 'braces',
    group: 'Integrations',
    viewAsNote: 'The playground is the same for everyone.',
  },
  sessions: {
    name: 'Sessions',
    icon: 'shield',
    group: 'Payments',
    viewAsNote: 'Sessions show the owner’s view, not the application’s.',
    entity: 'three_ds_session',
    entityViews: { session: 'sessions', token_intent: 'intents' },
  },
  agents: {
    name: 'Agents',
    icon: 'card',
    group: 'Payments',
    viewAsNote: 'Agents show the owner’s view, not the application’s.',
    entity: 'agent',
    words: 'agentic payments enrollments instructions',
  },
  merchants: {
    name: 'Merchants',
    icon: 'bank',
    group: 'Payments',
    viewAsNote: 'Merchants show the owner’s view, not the application’s.',
  },
  settings: {
    name: 'Settings',
    icon: 'sliders',
    viewAsNote: 'Settings show the owner’s view, not the application’s.',
  },
} as const satisfies Readonly<Record<string, ScreenEntry>>

export type Screen = keyof typeof entries

export const screens: Readonly<Record<Screen, ScreenEntry>> = entries

export const screenNames = Object.keys(entries) as readonly Screen[]

/** The screen that opens entities of this type, and the view that does; undefined if none does. */
export function findScreenByEntity(type: string): { screen: Screen; view: string | undefined } | undefined {
  for (const screen of screenNames) {
    const { entity, entityViews } = screens[screen]
    const view = entityViews?.[type]
    if (entity === type || view !== undefined) return { screen, view }
  }
  return undefined
}
