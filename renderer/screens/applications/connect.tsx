import { Group, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ApplicationType } from '../../../shared/permissions.ts'
import {
  formatCurl,
  formatFetch,
  formatNodeSdk,
  formatPython,
  type HttpRequest,
} from '../../parts/api/snippets.ts'
import { useSession } from '../../parts/connection/session.ts'
import { formatEnvLines } from '../../parts/listener/env-lines.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { tokenTypes } from '../../parts/tokens/token-types.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Code } from '../../ui/text/code.tsx'
import { strings } from './strings.ts'

const t = strings.key
const codeTabs = ['env', 'curl', 'fetch', 'node', 'python'] as const
type ConnectTab = (typeof codeTabs)[number] | 'page'

function createSampleRequest(type: ApplicationType, url: string, key: string): HttpRequest {
  if (type === 'management') return { method: 'GET', url: `${url}/applications`, key }
  return {
    method: 'POST',
    url: `${url}/tokens`,
    key,
    body: { type: 'card', data: tokenTypes.card.sample },
  }
}

function formatSnippet(tab: ConnectTab, request: HttpRequest, url: string): string {
  switch (tab) {
    case 'page':
      return formatPageLines(url, request.key)
    case 'env':
      return formatEnvLines(url, request.key)
    case 'curl':
      return formatCurl(request)
    case 'fetch':
      return formatFetch(request)
    case 'node':
      return formatNodeSdk(request, url)
    case 'python':
      return formatPython(request)
  }
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

/** Code that connects a program, in several languages. A public application's key belongs in a page. */
export function Connect({
  type,
  appKey,
  secret,
  onCopied,
}: {
  type: ApplicationType
  appKey: string
  secret?: boolean
  onCopied?: () => void
}) {
  const isPublic = type === 'public'
  const [tab, setTab] = useState<ConnectTab>(isPublic ? 'page' : 'env')
  const tabs: readonly ConnectTab[] = isPublic ? ['page', ...codeTabs] : codeTabs
  const status = useSession((session) => session.status)
  if (!status) return null
  const { listener } = status
  const url = listener.state === 'on' ? listener.url : `http://127.0.0.1:${status.settings.port || 4747}`
  return (
    <Stack gap={8}>
      <SegmentedControl
        aria-label={strings.drawer.connect}
        data={tabs.map((value) => ({ value, label: t[value] }))}
        value={tab}
        onChange={setTab}
      />
      <Code
        text={formatSnippet(tab, createSampleRequest(type, url, appKey), url)}
        what={t[tab]}
        secret={secret === true}
        {...(onCopied && { onCopied })}
      />
      {listener.state !== 'on' && (
        <Group gap="sm">
          <span className="dim">{t.off}</span>
          <ActionButton label={t.start} size="compact-xs" onClick={() => startListener()} />
        </Group>
      )}
    </Stack>
  )
}
