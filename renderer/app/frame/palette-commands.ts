import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import type { useSharedRows } from '../../parts/access/resource-lists.ts'
import { viewAs } from '../../parts/access/view-as.ts'
import { setAppearance } from '../../parts/connection/appearance.ts'
import { copyBaseUrl, copyEnv, startListener, stopListener } from '../../parts/listener/listener.ts'
import { getScreenHref } from '../../parts/navigation/last-queries.ts'
import { navigate } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { type Screen, screenNames, screens } from '../../parts/navigation/screens.ts'
import { getTypeName, tokenTypes, typeNames } from '../../parts/tokens/token-types.ts'
import { backUp } from '../../parts/vaults/back-up.ts'
import { startFirstRun } from '../../parts/vaults/first-run-store.ts'
import { showFirstSteps } from '../../parts/vaults/first-steps.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { sections } from '../../screens/settings/sections.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { PaletteEntry } from './palette-rank.ts'
import { getShortcut } from './rail-groups.ts'
import { strings } from './strings.ts'
import type { IdLookup } from './use-id-lookup.ts'

const t = strings.palette

export type Command = PaletteEntry & {
  readonly icon: IconName
  readonly run: () => unknown
  readonly shortcut?: string
}

type PaletteContext = {
  readonly status: HostStatus
  readonly rows: ReturnType<typeof useSharedRows>
  /** Whether the window shows an application's view, in which only tokens can be changed. */
  readonly isViewingAs: boolean
  readonly showShortcuts: () => void
  readonly openVault: (vault: VaultSummary) => void
}

export function createOpenByIdCommand({ id, is }: NonNullable<IdLookup>): Command {
  const isDocument = is === 'document'
  return {
    id: isDocument ? 'open-document' : 'open-token',
    group: isDocument ? t.documentGroup : t.tokenGroup,
    label: isDocument ? t.document(id) : t.token(id),
    icon: isDocument ? 'document' : 'token',
    run: () => navigate(toHref(isDocument ? 'documents' : 'tokens', id)),
  }
}

/** The commands that are available now. */
export function listCommands(context: PaletteContext): Command[] {
  return [
    ...listScreenCommands(),
    ...(context.isViewingAs ? [] : [openExchanges, openSigningKey, openClientKeys]),
    ...listCreateCommands(context),
    ...listVaultCommands(context),
    ...listListenerCommands(context.status),
    ...screenNames.flatMap((screen) => listOpenCommands(screen, context)),
    ...typeNames.map((type) => ({
      id: `type-${type}`,
      group: t.types,
      label: t.tokensOf(getTypeName(type)),
      words: type,
      icon: tokenTypes[type].icon,
      needsQuery: true as const,
      run: () => navigate(toHref('tokens', null, { type })),
    })),
    {
      id: 'look-owner',
      group: t.look,
      label: strings.viewAs.owner,
      icon: 'eye',
      run: () => viewAs(null),
    },
    ...context.rows.applications.map(({ id, name, type }) => ({
      id: `look-${id}`,
      group: t.look,
      label: t.lookAs(name),
      icon: 'eye' as const,
      run: () => viewAs({ id, name, type }),
    })),
    ...Object.entries(sections).map(([name, label]) => ({
      id: `settings-${name}`,
      group: t.settings,
      label: t.setting(label),
      words: name === 'destinations' ? t.words.destinations : '',
      icon: 'sliders' as const,
      run: () => navigate(toHref('settings', name)),
    })),
    ...listWindowCommands(context.showShortcuts),
  ]
}

function listOpenCommands(screen: Screen, { rows }: PaletteContext): Command[] {
  const { name: group, icon, words = '' } = screens[screen]
  const [, all = []] = Object.entries(rows).find(([each]) => each === screen) ?? []
  return all.map((row) => ({
    group,
    words,
    id: `open-${row.id}`,
    label: row.name,
    ids: [row.id, ...(screen === 'proxies' && 'key' in row && row.key ? [row.key] : [])],
    icon,
    run: () => navigate(toHref(screen, row.id)),
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

const openExchanges: Command = {
  id: 'kept-calls',
  group: t.screens,
  label: t.savedCalls,
  words: t.words.savedCalls,
  icon: 'proxy',
  run: () => navigate(toHref('proxies', null, { view: 'exchanges' })),
}

const openSigningKey: Command = {
  id: 'signing-key',
  group: t.screens,
  label: t.signingKey,
  words: t.words.signingKey,
  icon: 'key',
  run: () => navigate(toHref('webhooks', null, { view: 'key' })),
}

const openClientKeys: Command = {
  id: 'client-keys',
  group: t.screens,
  label: t.clientKeys,
  words: t.words.clientKey,
  icon: 'key',
  run: () => navigate(toHref('applications', null, { view: 'client-keys' })),
}

/** What else can be created or tried in a screen, after its own command. */
const furtherCreateCommands: Partial<Readonly<Record<Screen, Command>>> = {
  applications: {
    id: 'new-client-key',
    group: t.create,
    label: t.newClientKey,
    words: t.words.clientKey,
    icon: 'key',
    run: () => navigate(toHref('applications', null, { view: 'client-keys', new: '1' })),
  },
  proxies: {
    id: 'try-proxy',
    group: t.create,
    label: t.tryProxy,
    words: screens.proxies.words ?? '',
    icon: 'play',
    run: () => navigate(toHref('proxies', null, { view: 'try' })),
  },
  reactors: {
    id: 'reactor-gallery',
    group: t.create,
    label: t.gallery,
    words: screens.reactors.words ?? '',
    icon: 'bolt',
    run: () => navigate(toHref('reactors', null, { view: 'gallery' })),
  },
}

function listCreateCommands({ isViewingAs }: PaletteContext): Command[] {
  return screenNames.flatMap((screen) => {
    const { create } = screens[screen]
    if (!create || (isViewingAs && !create.isShared)) return []
    const { label, words = '', icon = 'plus' } = create
    const command: Command = {
      id: `new-${screen}`,
      group: t.create,
      label,
      words,
      icon,
      run: () => navigate(toHref(screen, null, { new: '1' })),
    }
    const further = furtherCreateCommands[screen]
    return further ? [command, further] : [command]
  })
}

function listVaultCommands({
  status: { vault, vaults },
  rows: { applications },
  isViewingAs,
  openVault,
}: PaletteContext): Command[] {
  const group = t.vault
  const inMemory = vault?.protection === 'memory'
  const otherVaults = vaults.filter(({ name, problem }) => (inMemory || name !== vault?.name) && !problem)
  const backup: Command = {
    id: 'backup',
    group,
    label: t.backUp,
    words: t.words.backUp,
    icon: 'archive',
    run: backUp,
  }
  const openKeys = (ask: string) => () => navigate(toHref('settings', 'keys', { ask }))
  const ownKeys: Command[] = [
    {
      id: 'protection',
      group,
      label: t.protection,
      words: t.words.protection,
      icon: 'key',
      run: openKeys('protection'),
    },
    {
      id: 'recovery',
      group,
      label: t.recovery,
      words: t.words.recovery,
      icon: 'key',
      run: openKeys('recovery'),
    },
    { id: 'master', group, label: t.master, words: t.words.master, icon: 'refresh', run: openKeys('master') },
    {
      id: 'data-key',
      group,
      label: t.dataKey,
      words: t.words.dataKey,
      icon: 'refresh',
      run: () => navigate(toHref('settings', 'keys')),
    },
  ]
  return [
    ...(inMemory ? [] : [backup]),
    {
      id: 'restore',
      group,
      label: t.restore,
      icon: 'undo',
      run: () => navigate(toHref('settings', 'backups', { restore: '1' })),
    },
    {
      id: 'export',
      group,
      label: t.export,
      words: t.words.transfer,
      icon: 'download',
      run: () => navigate(toHref('settings', 'transfer', { ask: 'export' })),
    },
    {
      id: 'import',
      group,
      label: t.import,
      words: t.words.transfer,
      icon: 'upload',
      run: () => navigate(toHref('settings', 'transfer', { ask: 'import' })),
    },
    { id: 'first-steps', group, label: t.firstSteps, icon: 'check', run: showFirstSteps },
    ...(inMemory ? [] : ownKeys),
    ...(isViewingAs ? [] : applications.filter(({ keys }) => keys.length > 0)).map(({ id, name }) => ({
      id: `rotate-${id}`,
      group,
      label: t.rotate(name),
      words: t.words.rotate,
      icon: 'refresh' as const,
      needsQuery: true as const,
      run: () => navigate(toHref('applications', id, { rotate: '1' })),
    })),
    { id: 'new-vault', group, label: t.newVault, icon: 'plus', run: startFirstRun },
    ...otherVaults.map((each) => ({
      id: `vault-${each.name}`,
      group,
      label: t.switchVault(each.name),
      words: t.words.switchVault,
      icon: 'switch' as const,
      run: () => openVault(each),
    })),
    { id: 'lock', group, label: t.lock, icon: 'lock', run: lockVault, shortcut: 'mod+l' },
  ]
}

function listListenerCommands({ listener }: HostStatus): Command[] {
  const group = t.listener
  if (listener.state !== 'on') {
    return [
      { id: 'start', group, label: t.startListener, icon: 'play', run: () => startListener() },
      {
        id: 'docs',
        group,
        label: t.docsOff,
        words: t.words.docs,
        icon: 'info',
        run: () => navigate(toHref('settings', 'listener')),
      },
    ]
  }
  const { url } = listener
  return [
    { id: 'copy-url', group, label: t.copyUrl, icon: 'copy', run: () => copyBaseUrl(url) },
    { id: 'copy-env', group, label: t.copyEnv, icon: 'terminal', run: () => copyEnv(url) },
    {
      id: 'docs',
      group,
      label: t.docs,
      words: t.words.docs,
      icon: 'info',
      run: () => window.open(`${url}/docs`, '_blank', 'noopener'),
    },
    { id: 'stop', group, label: t.stopListener, icon: 'stop', run: stopListener },
  ]
}

function listWindowCommands(showShortcuts: () => void): Command[] {
  return [
    {
      id: 'shortcuts',
      group: t.window,
      label: t.shortcuts,
      icon: 'keyboard',
      run: showShortcuts,
      shortcut: '?',
    },
    ...(['light', 'dark', 'system'] as const).map((each) => ({
      id: `appearance-${each}`,
      group: t.window,
      label: t.appearance[each],
      icon: 'sun' as const,
      run: () => setAppearance(each),
    })),
  ]
}
