import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useState } from 'react'
import type { HostStatus } from '../../shared/host.ts'
import { setAppearance } from '../appearance.ts'
import { useApplications } from '../application-names.ts'
import { copyBaseUrl, copyEnv, startListener, stopListener } from '../listener.ts'
import { lookAs } from '../looking.ts'
import { go } from '../route.ts'
import { hrefOf, screens } from '../route-text.ts'
import { strings } from '../strings.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Key } from '../ui/keys.tsx'
import { lockVault } from './lock.ts'
import { screenIcons } from './screens.ts'

const t = strings.frame.palette

function command(
  id: string,
  label: string,
  icon: IconName,
  onClick: () => void,
  key?: string,
): SpotlightActionData {
  return {
    id,
    label,
    leftSection: <Icon name={icon} />,
    onClick,
    ...(key && { rightSection: <Key of={key} /> }),
  }
}

function commandsOf({ listener }: HostStatus, showShortcuts: () => void): SpotlightActionData[] {
  const reach =
    listener.state === 'on'
      ? [
          command('copy-url', t.copyUrl, 'copy', () => copyBaseUrl(listener.url)),
          command('copy-env', t.copyEnv, 'terminal', () => copyEnv(listener.url)),
          command('stop', t.stopListener, 'stop', stopListener),
        ]
      : [command('start', t.startListener, 'play', () => startListener())]
  return [
    ...reach,
    command('lock', t.lock, 'lock', lockVault, 'mod+l'),
    command('shortcuts', t.shortcuts, 'keyboard', showShortcuts, '?'),
    ...(['light', 'dark', 'system'] as const).map((each) =>
      command(`appearance-${each}`, t.appearance[each], 'sun', () => setAppearance(each)),
    ),
  ]
}

/** Everything the window can do, by typing a few letters of it. */
export function Palette({ status, showShortcuts }: { status: HostStatus; showShortcuts: () => void }) {
  const { applications } = useApplications()
  const [query, setQuery] = useState('')
  const id = query.trim()
  const groups: SpotlightActionGroupData[] = [
    {
      group: t.screens,
      actions: screens.map((screen, index) =>
        command(
          screen,
          strings.frame.screens[screen],
          screenIcons[screen],
          () => go(hrefOf(screen)),
          `mod+${index + 1}`,
        ),
      ),
    },
    {
      group: t.create,
      actions: [
        command('new-token', t.newToken, 'plus', () => go(hrefOf('tokens', null, { new: '1' }))),
        command('new-application', t.newApplication, 'plus', () =>
          go(hrefOf('applications', null, { new: '1' })),
        ),
        command('new-request', t.newRequest, 'plus', () => go(hrefOf('requests', null, { new: '1' }))),
      ],
    },
    { group: t.commands, actions: commandsOf(status, showShortcuts) },
    {
      group: t.settings,
      actions: Object.entries(strings.settings.sections).map(([name, label]) =>
        command(`settings-${name}`, t.setting(label), 'sliders', () => go(hrefOf('settings', name))),
      ),
    },
    {
      group: t.look,
      actions: [
        command('look-owner', strings.frame.looking.owner, 'eye', () => lookAs(null)),
        ...applications.map(({ id, name, type }) =>
          command(id, name, 'eye', () => lookAs({ id, name, type })),
        ),
      ],
    },
    {
      group: t.tokenGroup,
      actions:
        id.length >= 3 && !id.includes(' ')
          ? [{ ...command('open-token', t.token(id), 'token', () => go(hrefOf('tokens', id))), keywords: id }]
          : [],
    },
  ]
  return (
    <Spotlight
      actions={groups}
      shortcut={null}
      nothingFound={t.nothing}
      query={query}
      onQueryChange={setQuery}
      searchProps={{
        placeholder: t.placeholder,
        'aria-label': t.placeholder,
        leftSection: <Icon name="search" />,
      }}
      attributes={{ content: { 'aria-label': strings.frame.palette.button } }}
      scrollable
      maxHeight={420}
      size={560}
      lockScroll={false}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      transitionProps={{ duration: 80 }}
    />
  )
}
