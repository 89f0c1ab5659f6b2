import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { formatCurl, formatFetch, formatNodeSdk, type HttpRequest } from '../../parts/api/snippets.ts'
import { useSession } from '../../parts/connection/session.ts'
import { Code } from '../../ui/text/code.tsx'
import { useBuilder } from './builder-store.ts'
import { formatRequestPath, parseDraftBody, type RequestDraft } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.build
const languages = ['curl', 'fetch', 'node'] as const
type SnippetLanguage = (typeof languages)[number]

export function RequestCode({ operation, draft }: { operation: ApiOperation; draft: RequestDraft }) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const { key, through } = useBuilder()
  const status = useSession((session) => session.status)
  const { listener, settings } = status ?? {}
  const base = listener?.state === 'on' ? listener.url : `http://127.0.0.1:${settings?.port || 4747}`
  const request: HttpRequest = {
    method: operation.method,
    url: base + formatRequestPath(operation, draft),
    key: through === 'listener' && key !== '' ? key : t.keyHint,
    body: operation.body ? parseDraftBody(draft) : undefined,
    route: operation.path,
    params: operation.parameters
      .filter((each) => each.in === 'path')
      .map(({ name }) => draft.params[name] ?? `{${name}}`),
  }
  const text =
    language === 'curl'
      ? formatCurl(request)
      : language === 'fetch'
        ? formatFetch(request)
        : formatNodeSdk(request, base)
  return (
    <Stack gap={8}>
      <SegmentedControl
        aria-label={t.code}
        data={languages.map((value) => ({ value, label: t[value] }))}
        value={language}
        onChange={setLanguage}
      />
      <Code text={text} what={t[language]} secret={through === 'listener' && key !== ''} />
    </Stack>
  )
}
