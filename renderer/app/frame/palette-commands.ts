import type { HostStatus, VaultSummary } from '../../../shared/host.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { lookAs } from '../../parts/access/looking.ts'
import { setAppearance } from '../../parts/connection/appearance.ts'
import { copyBaseUrl, copyEnv, startListener, stopListener } from '../../parts/listener/listener.ts'
import { leftHref } from '../../parts/navigation/left-lists.ts'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf, screenNames } from '../../parts/navigation/route-text.ts'
import { nameOf, tokenTypes, typeNames } from '../../parts/tokens/token-types.ts'
import { backUp } from '../../parts/vaults/back-up.ts'
import { beginFirstRun } from '../../parts/vaults/first-run-store.ts'
import { showFirstSteps } from '../../parts/vaults/first-steps.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { sections } from '../../screens/settings/sections.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { Entry } from './palette-rank.ts'
import { screens, shortcutOf } from './screens.ts'
import { strings } from './strings.ts'
import type { Found } from './use-found.ts'

const t = strings.palette

export type Command = Entry & {
  readonly icon: IconName
  readonly run: () => unknown
  readonly shortcut?: string
}

type Given = {
  readonly status: HostStatus
  readonly applications: readonly Application[]
  readonly proxies: readonly ProxyObject[]
  readonly reactors: readonly ReactorObject[]
  readonly webhooks: readonly Webhook[]
  /** Whether the window looks as an application, in which case nothing but tokens can be changed. */
  readonly isLooking: boolean
  readonly showShortcuts: () => void
  readonly openVault: (vault: VaultSummary) => void
}

/** Opens the document with this id, or else the token. */
export function openFoundCommand({ id, is }: NonNullable<Found>): Command {
  const isDocument = is === 'document'
  return {
    id: isDocument ? 'open-document' : 'open-token',
    group: isDocument ? t.documentGroup : t.tokenGroup,
    label: isDocument ? t.document(id) : t.token(id),
    icon: isDocument ? 'document' : 'token',
    run: () => go(hrefOf(isDocument ? 'documents' : 'tokens', id)),
  }
}

/** Every command that is available now. */
export function commandsOf(given: Given): Command[] {
  return [
    ...screenCommands(),
    ...(given.isLooking ? [] : [keptCalls, signingKey, clientKeys]),
    ...createCommands(given),
    ...vaultCommands(given),
    ...listenerCommands(given.status),
    ...things('applications', given.applications, { group: t.applications, words: t.words.application }),
    ...things('proxies', given.proxies, { group: t.proxies, words: t.words.proxy }),
    ...things('reactors', given.reactors, { group: t.reactors, words: t.words.reactor }),
    ...things('webhooks', given.webhooks, { group: t.webhooks, words: t.words.webhook }),
    ...typeNames.map((type) => ({
      id: `type-${type}`,
      group: t.types,
      label: t.tokensOf(nameOf(type)),
      words: type,
      icon: tokenTypes[type].icon,
      isTyped: true as const,
      run: () => go(hrefOf('tokens', null, { type })),
    })),
    {
      id: 'look-owner',
      group: t.look,
      label: strings.looking.owner,
      icon: 'eye',
      run: () => lookAs(null),
    },
    ...given.applications.map(({ id, name, type }) => ({
      id: `look-${id}`,
      group: t.look,
      label: t.lookAs(name),
      icon: 'eye' as const,
      run: () => lookAs({ id, name, type }),
    })),
    ...Object.entries(sections).map(([name, label]) => ({
      id: `settings-${name}`,
      group: t.settings,
      label: t.setting(label),
      words: name === 'destinations' ? t.words.destinations : '',
      icon: 'sliders' as const,
      run: () => go(hrefOf('settings', name)),
    })),
    ...windowCommands(given.showShortcuts),
  ]
}

type Thing = { readonly id: string; readonly name: string; readonly key?: string | null | undefined }

/** A command for each thing of a screen that opens it, found by its name and its ids. */
function things(
  screen: 'applications' | 'proxies' | 'reactors' | 'webhooks',
  all: readonly Thing[],
  about: { readonly group: string; readonly words: string },
): Command[] {
  return all.map(({ id, name, key }) => ({
    ...about,
    id: `open-${id}`,
    label: name,
    ids: [id, ...(screen === 'proxies' && key ? [key] : [])],
    icon: screens[screen].icon,
    run: () => go(hrefOf(screen, id)),
  }))
}

function screenCommands(): Command[] {
  return screenNames.map((screen) => ({
    id: screen,
    group: t.screens,
    label: screens[screen].name,
    icon: screens[screen].icon,
    run: () => go(leftHref(screen)),
    shortcut: shortcutOf(screen),
  }))
}

const keptCalls: Command = {
  id: 'kept-calls',
  group: t.screens,
  label: t.keptCalls,
  words: t.words.keptCalls,
  icon: 'proxy',
  run: () => go(hrefOf('proxies', null, { view: 'exchanges' })),
}

const signingKey: Command = {
  id: 'signing-key',
  group: t.screens,
  label: t.signingKey,
  words: t.words.signingKey,
  icon: 'key',
  run: () => go(hrefOf('webhooks', null, { view: 'key' })),
}

const clientKeys: Command = {
  id: 'client-keys',
  group: t.screens,
  label: t.clientKeys,
  words: t.words.clientKey,
  icon: 'key',
  run: () => go(hrefOf('applications', null, { view: 'client-keys' })),
}

function createCommands({ isLooking }: Given): Command[] {
  const command = (
    id: 'tokens' | 'documents' | 'applications' | 'proxies' | 'reactors' | 'webhooks' | 'requests',
    label: string,
  ): Command => ({
    id: `new-${id}`,
    group: t.create,
    label,
    icon: 'plus',
    run: () => go(hrefOf(id, null, { new: '1' })),
  })
  const tryProxy: Command = {
    id: 'try-proxy',
    group: t.create,
    label: t.tryProxy,
    words: t.words.proxy,
    icon: 'play',
    run: () => go(hrefOf('proxies', null, { view: 'try' })),
  }
  const gallery: Command = {
    id: 'reactor-gallery',
    group: t.create,
    label: t.gallery,
    words: t.words.reactor,
    icon: 'bolt',
    run: () => go(hrefOf('reactors', null, { view: 'gallery' })),
  }
  const document: Command = {
    ...command('documents', t.uploadDocument),
    words: t.words.document,
  }
  const clientKey: Command = {
    id: 'new-client-key',
    group: t.create,
    label: t.newClientKey,
    words: t.words.clientKey,
    icon: 'key',
    run: () => go(hrefOf('applications', null, { view: 'client-keys', new: '1' })),
  }
  const owners = [
    document,
    command('applications', t.newApplication),
    clientKey,
    command('proxies', t.newProxy),
    tryProxy,
    command('reactors', t.newReactor),
    gallery,
    command('webhooks', t.newWebhook),
  ]
  return [
    command('tokens', t.newToken),
    ...(isLooking ? [] : owners),
    { ...command('requests', t.newRequest), words: t.words.request, icon: 'play' },
  ]
}

function vaultCommands({ status: { vault, vaults }, applications, isLooking, openVault }: Given): Command[] {
  const group = t.vault
  const inMemory = vault?.protection === 'memory'
  const others = vaults.filter(({ name, problem }) => (inMemory || name !== vault?.name) && !problem)
  const backup: Command = {
    id: 'backup',
    group,
    label: t.backUp,
    words: t.words.backUp,
    icon: 'archive',
    run: backUp,
  }
  const toKeys = (ask: string) => () => go(hrefOf('settings', 'keys', { ask }))
  const ownKeys: Command[] = [
    {
      id: 'protection',
      group,
      label: t.protection,
      words: t.words.protection,
      icon: 'key',
      run: toKeys('protection'),
    },
    {
      id: 'recovery',
      group,
      label: t.recovery,
      words: t.words.recovery,
      icon: 'key',
      run: toKeys('recovery'),
    },
    { id: 'master', group, label: t.master, words: t.words.master, icon: 'refresh', run: toKeys('master') },
    {
      id: 'data-key',
      group,
      label: t.dataKey,
      words: t.words.dataKey,
      icon: 'refresh',
      run: () => go(hrefOf('settings', 'keys')),
    },
  ]
  return [
    ...(inMemory ? [] : [backup]),
    {
      id: 'restore',
      group,
      label: t.restore,
      icon: 'undo',
      run: () => go(hrefOf('settings', 'backups', { restore: '1' })),
    },
    {
      id: 'export',
      group,
      label: t.export,
      words: t.words.transfer,
      icon: 'download',
      run: () => go(hrefOf('settings', 'transfer', { ask: 'export' })),
    },
    {
      id: 'import',
      group,
      label: t.import,
      words: t.words.transfer,
      icon: 'upload',
      run: () => go(hrefOf('settings', 'transfer', { ask: 'import' })),
    },
    { id: 'first-steps', group, label: t.firstSteps, icon: 'check', run: showFirstSteps },
    ...(inMemory ? [] : ownKeys),
    ...(isLooking ? [] : applications.filter(({ keys }) => keys.length > 0)).map(({ id, name }) => ({
      id: `rotate-${id}`,
      group,
      label: t.rotate(name),
      words: t.words.rotate,
      icon: 'refresh' as const,
      isTyped: true as const,
      run: () => go(hrefOf('applications', id, { rotate: '1' })),
    })),
    { id: 'new-vault', group, label: t.newVault, icon: 'plus', run: beginFirstRun },
    ...others.map((each) => ({
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

function listenerCommands({ listener }: HostStatus): Command[] {
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
        run: () => go(hrefOf('settings', 'listener')),
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

function windowCommands(showShortcuts: () => void): Command[] {
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
