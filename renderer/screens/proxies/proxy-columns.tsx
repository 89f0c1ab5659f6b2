import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ProxyTransform } from '../../../shared/schemas/transform.ts'
import { createColumns, createNameColumn } from '../../parts/resource-screen/columns.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings as t } from './strings.ts'

/** The transforms of the request or of the response, in execution order. */
export function getTransforms(proxy: ProxyObject, side: 'request' | 'response'): readonly ProxyTransform[] {
  const one = proxy[`${side}_transform`]
  return proxy[`${side}_transforms`] ?? (one ? [one] : [])
}

export type LastCall = { readonly status: number | null; readonly created_at: string }

/** `calls` is null if the viewer may not see saved calls. */
export function createProxyColumns(
  calls: ReadonlyMap<string, LastCall> | null,
): readonly Column<ProxyObject>[] {
  return createColumns(t.columns, {
    name: createNameColumn('proxy', 'clamp(96px, 20%, 320px)'),
    destination: {
      width: 'minmax(110px, 1fr)',
      render: ({ destination_url }) => <MarkedSpan text={destination_url} />,
    },
    auth: { width: '64px', render: ({ require_auth }) => (require_auth ? t.required : t.notRequired) },
    transforms: {
      width: 'minmax(64px, 0.35fr)',
      render: (proxy) => {
        const counts = t.counts(
          getTransforms(proxy, 'request').length,
          getTransforms(proxy, 'response').length,
        )
        return <span className={counts === '' ? 'faint' : 'dim'}>{counts || t.noTransforms}</span>
      },
    },
    last: calls !== null && {
      width: '124px',
      right: true,
      render: ({ id }) => {
        const call = calls.get(id)
        if (!call) return null
        return (
          <span className="faint">
            {call.status !== null && <StatusChip status={call.status} />} <Time at={call.created_at} />
          </span>
        )
      },
    },
  })
}
