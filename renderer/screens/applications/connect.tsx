import { Group, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ApplicationType } from '../../../shared/permissions.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import { useSession } from '../../parts/connection/session.ts'
import { formatEnvLines } from '../../parts/listener/env-lines.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { tokenTypes } from '../../parts/tokens/token-types.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Code } from '../../ui/text/code.tsx'
import { strings } from './strings.ts'

const t = strings.key
type ConnectTab = 'page' | 'env' | 'code'

function createSampleRequest(type: ApplicationType) {
  if (type === 'management') return { method: 'GET', path: '/applications' }
  return { method: 'POST', path: '/tokens', body: { type: 'card', data: tokenTypes.card.sample } }
}

function formatPageLines(url: string, key: string): string {
  return [
    '<!-- In the head, before any other script -->',
    `<script src="${url}/elements.js"></script>`,
    '',
    "import { basistheory } from '@basis-theory/web-elements'",
    `const bt = await basistheory('${key}')`,
  ].join('\n')
}

type Props = {
  readonly type: ApplicationType
  readonly appKey: string
  readonly secret?: boolean
  readonly onCopied?: () => void
}

/** Code that connects a program, in the chosen language. A public application's key belongs in a page. */
export function Connect({ type, appKey, secret = false, onCopied }: Props) {
  const tabs: readonly ConnectTab[] = type === 'public' ? ['page', 'env', 'code'] : ['env', 'code']
  const [tab, setTab] = useState<ConnectTab>(type === 'public' ? 'page' : 'env')
  const url = useBaseUrl()
  const copy = { secret, ...(onCopied && { onCopied }) }
  return (
    <Stack gap={8}>
      <SegmentedControl
        aria-label={strings.drawer.connect}
        data={tabs.map((value) => ({ value, label: t[value] }))}
        value={tab}
        onChange={setTab}
      />
      {tab === 'code' ? (
        <RequestSnippet request={{ ...createSampleRequest(type), key: appKey }} {...copy} />
      ) : (
        <Code
          text={tab === 'page' ? formatPageLines(url, appKey) : formatEnvLines(url, appKey)}
          what={t[tab]}
          {...copy}
        />
      )}
      <ListenerOff />
    </Stack>
  )
}

/** Offers to start the listener while it is off. */
export function ListenerOff(props: { readonly mt?: number }) {
  const listener = useSession((session) => session.status?.listener)
  if (listener?.state === 'on') return null
  return (
    <Group gap="sm" {...props}>
      <span className="dim">{t.off}</span>
      <ActionButton label={t.start} size="compact-xs" onClick={() => startListener()} />
    </Group>
  )
}
