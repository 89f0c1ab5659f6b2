import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { curlOf, fetchOf, type HttpRequest, nodeSdkOf } from '../../parts/api/snippets.ts'
import { useSession } from '../../parts/connection/session.ts'
import { Code } from '../../ui/text/code.tsx'
import { useBuilder } from './builder-store.ts'
import { bodyOf, pathOf, type RequestDraft } from './request-draft.ts'
import { strings } from './strings.ts'

const t = strings.build
const ways = ['curl', 'fetch', 'node'] as const
type Way = (typeof ways)[number]

/** The request as code. */
export function RequestCode({ operation, draft }: { operation: ApiOperation; draft: RequestDraft }) {
  const [way, setWay] = useState<Way>('curl')
  const { key, through } = useBuilder()
  const status = useSession((session) => session.status)
  const { listener, settings } = status ?? {}
  const base = listener?.state === 'on' ? listener.url : `http://127.0.0.1:${settings?.port || 4747}`
  const request: HttpRequest = {
    method: operation.method,
    url: base + pathOf(operation, draft),
    key: through === 'listener' && key !== '' ? key : t.keyHint,
    body: operation.body ? bodyOf(draft) : undefined,
    route: operation.path,
    params: operation.parameters
      .filter((each) => each.in === 'path')
      .map(({ name }) => draft.params[name] ?? `{${name}}`),
  }
  const text =
    way === 'curl' ? curlOf(request) : way === 'fetch' ? fetchOf(request) : nodeSdkOf(request, base)
  return (
    <div className="connect">
      <SegmentedControl
        aria-label={t.code}
        data={ways.map((value) => ({ value, label: t[value] }))}
        value={way}
        onChange={setWay}
      />
      <Code text={text} what={t[way]} secret={through === 'listener' && key !== ''} />
    </div>
  )
}
