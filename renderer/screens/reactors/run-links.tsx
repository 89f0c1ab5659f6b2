import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { getRecordsHref } from '../../parts/navigation/records-href.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { strings } from './strings.ts'

export function RecordLink({ trace_id }: { trace_id: string }) {
  return (
    <LinkButton to={getRecordsHref([{ field: 'trace', value: trace_id }])} label={strings.testRun.record} />
  )
}

export function TokenLinks({ ids }: { ids: readonly string[] }) {
  return (
    <div>
      {ids.map((id) => (
        <LinkButton key={id} to={toHref('tokens', id)} mono label={`${id} `} />
      ))}
    </div>
  )
}
