import type { SavedSearch } from '../../../shared/find.ts'
import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import type { Checkout } from '../../../shared/schemas/checkout.ts'
import type { useSharedRows } from '../../parts/access/resource-lists.ts'
import { viewAs } from '../../parts/access/view-as.ts'
import { getCheckoutHref, newCheckoutHref } from '../../parts/checkouts/checkouts.ts'
import { strings as checkoutStrings } from '../../parts/checkouts/strings.ts'
import { setPreference } from '../../parts/connection/preference.ts'
import { toSavedHref } from '../../parts/filters/saved-href.ts'
import { copyBaseUrl, copyEnv, startListener, stopListener } from '../../parts/listener/listener.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { getScreenHref } from '../../parts/navigation/last-queries.ts'
import { goTo, navigate } from '../../parts/navigation/route.ts'
import { type Screen, screenNames, screens } from '../../parts/navigation/screens.ts'
import { getTypeName, tokenTypes, typeNames } from '../../parts/tokens/token-types.ts'
import { backUp } from '../../parts/vaults/back-up.ts'
import { startFirstRun } from '../../parts/vaults/first-run-store.ts'
import { showFirstSteps } from '../../parts/vaults/first-steps.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { clockMoves, moveClock } from '../../parts/vaults/move-clock.ts'
import { findSettings } from '../../screens/settings/find-settings.ts'
import { sections } from '../../screens/settings/sections.ts'
import type { IconName } from '../../ui/icon.tsx'
import { copyText } from '../../ui/text/clipboard.ts'
import type { PaletteEntry } from './palette-rank.ts'
import { strings as t } from './palette-strings.ts'
import { getShortcut } from './rail-groups.ts'
import { strings } from './strings.ts'

const searchTerms: Readonly<Record<string, string>> = t.words

export type Command = PaletteEntry & {
  readonly icon: IconName
  readonly run: () => unknown
  readonly shortcut?: string
  /** The end of the label that is masked data. */
  readonly masked?: string
  /** What the label alone does not tell. */
  readonly detail?: string
  readonly at?: string
  /** The row that it opens, if it can be opened beside another one. */
  readonly target?: EntryTarget
  /** Whether it was found in the vault. */
  readonly isHit?: true
  /** Whether it is not offered again as a recent entry. */
  readonly isOnce?: true
  /** Whether it does something, rather than open something. */
  readonly isAct?: true
}

export type EntryTarget = {
  readonly screen: Screen
  readonly id: string | null
  readonly query: Readonly<Record<string, string>>
}

type UngroupedCommand = Omit<Command, 'group'>

type PaletteContext = {
  readonly status: HostStatus
  readonly rows: ReturnType<typeof useSharedRows>
  /** The id of the application that the window views as, in which only tokens can be changed; null for the owner. */
  readonly viewedAs: string | null
  /** The checkouts; none while the window shows an application's view. */
  readonly checkouts: readonly Checkout[]
  /** The saved filters; none while the window shows an application's view. */
  readonly saved: readonly SavedSearch[]
  readonly showShortcuts: () => void
  readonly openVault: (vault: VaultSummary) => void
  /** Asks before the in-memory vault is reset. */
  readonly askReset: () => void
}

/** Adds their group to commands, and the search terms of those that have any. */
function addGroup(group: string, commands: readonly UngroupedCommand[]): Command[] {
  return commands.map((command) => ({ group, words: searchTerms[command.id] ?? '', ...command }))
}

/** The icon of a screen by its stored name. */
function findIcon(name: string): IconName {
  const screen = screenNames.find((each) => each === name)
  return screen ? screens[screen].icon : 'filter'
}

/** The groups of commands that do something, which `>` finds. */
const actGroups: readonly string[] = [t.create, t.vault, t.listener, t.look, t.window, t.deletions]

/** The commands that are available now. */
export function listCommands(context: PaletteContext): Command[] {
  return listGroups(context).map((each) => (actGroups.includes(each.group) ? { ...each, isAct: true } : each))
}

function listGroups(context: PaletteContext): Command[] {
  return [
    ...listScreenCommands(),
    ...addGroup(t.screens, context.viewedAs === null ? ownerViews : []),
    ...addGroup(t.create, listCreateCommands(context)),
    ...addGroup(t.vault, listVaultCommands(context)),
    ...addGroup(t.listener, listListenerCommands(context.status)),
    ...screenNames.flatMap((screen) => listOpenCommands(screen, context)),
    ...(context.viewedAs === null ? screenNames.flatMap((screen) => listDeletions(screen, context)) : []),
    ...context.checkouts.map(({ id, name }) => ({
      id: `open-${id}`,
      group: checkoutStrings.title,
      label: name,
      words: searchTerms.checkouts ?? '',
      icon: 'card' as const,
      run: () => navigate(getCheckoutHref(id)),
    })),
    ...context.saved.map((search) => ({
      id: `saved-${search.id}`,
      group: t.saved,
      label: search.name,
      words: 'filter search',
      icon: findIcon(search.screen),
      needsQuery: true as const,
      run: () => navigate(toSavedHref(search)),
    })),
    ...typeNames.map((type) => ({
      id: `type-${type}`,
      group: t.types,
      label: t.tokensOf(getTypeName(type)),
      words: type,
      icon: tokenTypes[type].icon,
      needsQuery: true as const,
      run: goTo('tokens', null, { type }),
    })),
    ...addGroup(t.look, listLookCommands(context)),
    ...Object.entries(sections).map(([name, label]) => ({
      id: `settings-${name}`,
      group: t.settings,
      label: t.setting(label),
      words: searchTerms[name] ?? '',
      icon: 'sliders' as const,
      run: goTo('settings', name),
    })),
    ...addGroup(t.window, [
      { id: 'shortcuts', label: t.shortcuts, icon: 'keyboard', run: context.showShortcuts, shortcut: '?' },
      ...(['light', 'dark', 'system'] as const).map((each) => ({
        id: `appearance-${each}`,
        label: t.appearance[each],
        words: 'theme mode colour',
        icon: 'sun' as const,
        run: () => setPreference({ appearance: each }),
      })),
    ]),
    ...Object.entries(t.guides).map(([name, [label, words]]) => ({
      id: `guide-${name}`,
      group: t.guideGroup,
      label,
      words: `guide help docs ${words}`,
      detail: `coffer docs ${name}`,
      icon: 'info' as const,
      needsQuery: true as const,
      run: () => copyGuide(`coffer docs ${name}`),
    })),
  ]
}

/** Copies the command that prints a guide, because the window does not have the guides. */
async function copyGuide(command: string): Promise<void> {
  await copyText(command)
  showToast(t.copiedGuide(command))
}

/** The views that the window can change to, without the current one. */
function listLookCommands({ rows, viewedAs }: PaletteContext): UngroupedCommand[] {
  const owner = {
    id: 'look-owner',
    label: t.lookAs(strings.viewAs.owner),
    icon: 'eye' as const,
    run: () => viewAs(null),
  }
  const others = rows.applications.filter(({ id }) => id !== viewedAs)
  return [
    ...(viewedAs === null ? [] : [owner]),
    ...others.map(({ id, name, type }) => ({
      id: `look-${id}`,
      label: t.lookAs(name),
      icon: 'eye' as const,
      run: () => viewAs({ id, name, type }),
    })),
  ]
}

type NamedRow = { readonly id: string; readonly name: string }

function listRows(screen: Screen, rows: PaletteContext['rows']): readonly NamedRow[] {
  return Object.entries(rows).find(([each]) => each === screen)?.[1] ?? []
}

function listOpenCommands(screen: Screen, { rows }: PaletteContext): Command[] {
  const { name: group, icon, words = '' } = screens[screen]
  return listRows(screen, rows).map((row) => ({
    group,
    words,
    id: `open-${row.id}`,
    label: row.name,
    ids: [row.id, ...(screen === 'proxies' && 'key' in row && typeof row.key === 'string' ? [row.key] : [])],
    icon,
    target: { screen, id: row.id, query: {} },
    run: goTo(screen, row.id),
  }))
}

function listDeletions(screen: Screen, { rows }: PaletteContext): Command[] {
  const { name, entity = '' } = screens[screen]
  return listRows(screen, rows).map((row) => ({
    group: t.deletions,
    words: `delete remove ${entity}`,
    id: `delete-${row.id}`,
    label: t.remove(row.name),
    detail: name,
    icon: 'trash',
    isOnce: true,
    needsQuery: true,
    run: goTo(screen, row.id, { remove: '1' }),
  }))
}

function listScreenCommands(): Command[] {
  return screenNames.map((screen) => {
    const shortcut = getShortcut(screen)
    return {
      id: screen,
      group: t.screens,
      label: screens[screen].name,
      icon: screens[screen].icon,
      run: () => navigate(getScreenHref(screen)),
      ...(shortcut !== null && { shortcut }),
    }
  })
}

const ownerViews: readonly UngroupedCommand[] = [
  { id: 'checkouts', label: checkoutStrings.title, icon: 'card', run: () => navigate(getCheckoutHref()) },
  { id: 'kept-calls', label: t.savedCalls, icon: 'proxy', run: goTo('proxies', null, { view: 'exchanges' }) },
  { id: 'signing-key', label: t.signingKey, icon: 'key', run: goTo('webhooks', null, { view: 'key' }) },
  { id: 'wallets', label: t.wallets, icon: 'card', run: goTo('merchants', null, { view: 'wallets' }) },
  { id: 'updates', label: t.updates, icon: 'refresh', run: goTo('merchants', null, { view: 'updates' }) },
  { id: 'three-ds', label: t.threeDs, icon: 'shield', run: goTo('sessions') },
  {
    id: 'short-sessions',
    label: t.sessions,
    icon: 'clock',
    run: goTo('sessions', null, { view: 'sessions' }),
  },
  { id: 'intents', label: t.intents, icon: 'token', run: goTo('sessions', null, { view: 'intents' }) },
  {
    id: 'client-keys',
    label: t.clientKeys,
    icon: 'key',
    run: goTo('applications', null, { view: 'client-keys' }),
  },
]

/** What else can be created or tried in a screen, after its own command. */
const furtherCreateCommands: Partial<Readonly<Record<Screen, readonly UngroupedCommand[]>>> = {
  applications: [
    { id: 'new-checkout', label: t.newCheckout, icon: 'card', run: () => navigate(newCheckoutHref) },
    {
      id: 'new-client-key',
      label: t.newClientKey,
      icon: 'key',
      run: goTo('applications', null, { view: 'client-keys', new: '1' }),
    },
  ],
  requests: [
    { id: 'environments', label: t.environments, icon: 'braces', run: goTo('requests', null, { new: '1' }) },
  ],
  proxies: [
    {
      id: 'try-proxy',
      label: t.tryProxy,
      words: screens.proxies.words ?? '',
      icon: 'play',
      run: goTo('proxies', null, { view: 'try' }),
    },
  ],
  reactors: [
    {
      id: 'reactor-gallery',
      label: t.gallery,
      words: screens.reactors.words ?? '',
      icon: 'bolt',
      run: goTo('reactors', null, { view: 'gallery' }),
    },
  ],
}

function listCreateCommands({ viewedAs }: PaletteContext): UngroupedCommand[] {
  return screenNames.flatMap((screen) => {
    const { create } = screens[screen]
    if (!create || (viewedAs !== null && !create.isShared)) return []
    const { label, words = '', icon = 'plus' } = create
    const command = { id: `new-${screen}`, label, words, icon, run: goTo(screen, null, { new: '1' }) }
    return [command, ...(furtherCreateCommands[screen] ?? [])]
  })
}

const ownKeys: readonly UngroupedCommand[] = [
  {
    id: 'protection',
    label: t.protection,
    icon: 'key',
    run: goTo('settings', 'keys', { ask: 'protection' }),
  },
  { id: 'recovery', label: t.recovery, icon: 'key', run: goTo('settings', 'keys', { ask: 'recovery' }) },
  { id: 'master', label: t.master, icon: 'refresh', run: goTo('settings', 'keys', { ask: 'master' }) },
  { id: 'data-key', label: t.dataKey, icon: 'refresh', run: goTo('settings', 'keys') },
]

function listVaultCommands({
  status: { vault, vaults },
  rows: { applications },
  viewedAs,
  openVault,
  askReset,
}: PaletteContext): UngroupedCommand[] {
  const inMemory = vault?.protection === 'memory'
  const otherVaults = vaults.filter(({ name, problem }) => (inMemory || name !== vault?.name) && !problem)
  const backup = { id: 'backup', label: t.backUp, icon: 'archive', run: backUp } as const
  return [
    ...(inMemory ? [] : [backup]),
    { id: 'restore', label: t.restore, icon: 'undo', run: goTo('settings', 'backups', { restore: '1' }) },
    { id: 'export', label: t.export, icon: 'download', run: goTo('settings', 'transfer', { ask: 'export' }) },
    { id: 'import', label: t.import, icon: 'upload', run: goTo('settings', 'transfer', { ask: 'import' }) },
    { id: 'first-steps', label: t.firstSteps, icon: 'check', run: showFirstSteps },
    ...(inMemory ? [] : ownKeys),
    ...(viewedAs === null ? applications : []).map(({ id, name }) => ({
      id: `rules-${id}`,
      label: t.rules(name),
      words: t.words.rules,
      icon: 'pencil' as const,
      needsQuery: true as const,
      run: goTo('applications', id, { edit: '1' }),
    })),
    ...(viewedAs === null ? applications.filter(({ keys }) => keys.length > 0) : []).map(({ id, name }) => ({
      id: `rotate-${id}`,
      label: t.rotate(name),
      words: t.words.rotate,
      icon: 'refresh' as const,
      needsQuery: true as const,
      run: goTo('applications', id, { rotate: '1' }),
    })),
    { id: 'new-vault', label: t.newVault, icon: 'plus', run: startFirstRun },
    ...otherVaults.map((each) => ({
      id: `vault-${each.name}`,
      label: t.switchVault(each.name),
      words: t.words.switchVault,
      icon: 'switch' as const,
      run: () => openVault(each),
    })),
    ...(inMemory
      ? Object.entries(clockMoves).map(([name, each]) => ({
          id: `clock-${name}`,
          label: t.clock(each.label),
          icon: 'clock' as const,
          run: () => moveClock(each),
        }))
      : []),
    ...(inMemory ? [{ id: 'reset', label: t.reset, icon: 'undo' as const, run: askReset }] : []),
    { id: 'lock', label: t.lock, icon: 'lock', run: lockVault, shortcut: 'mod+l' },
  ]
}

function listListenerCommands({ listener }: HostStatus): UngroupedCommand[] {
  if (listener.state !== 'on') {
    return [
      { id: 'start', label: t.startListener, icon: 'play', run: () => startListener() },
      { id: 'docs', label: t.docsOff, icon: 'info', run: goTo('settings', 'listener') },
    ]
  }
  const { url } = listener
  const openDocs = () => window.open(`${url}/docs`, '_blank', 'noopener')
  return [
    { id: 'copy-url', label: t.copyUrl, icon: 'copy', run: () => copyBaseUrl(url) },
    { id: 'copy-env', label: t.copyEnv, icon: 'terminal', run: () => copyEnv(url) },
    { id: 'docs', label: t.docs, icon: 'info', run: openDocs },
    { id: 'stop', label: t.stopListener, icon: 'stop', run: stopListener },
  ]
}

/** What to do next, for a palette in which nothing is typed. */
export const nextSteps: readonly string[] = [
  'start',
  'new-tokens',
  'new-requests',
  'copy-env',
  'first-steps',
  'backup',
  'shortcuts',
]

/** The settings that a text names, with the sections that hold them. */
export function listSettings(input: string): Command[] {
  return findSettings(input).map(({ section, label }) => ({
    id: `setting-${section}-${label}`,
    group: t.settings,
    label,
    detail: sections[section],
    icon: 'sliders',
    isOnce: true,
    run: goTo('settings', section, { find: label }),
  }))
}
