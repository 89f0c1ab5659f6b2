import type { FaultRule } from '../../../../shared/schemas/fault.ts'
import { strings } from './strings.ts'

const { became, every } = strings

/** Describes a fault: which requests it affects, and how. */
export function formatFault({
  operations,
  status,
  retry_after,
  delay_ms,
  cut,
  when,
  share,
  count,
}: FaultRule): string {
  const parts = [
    operations?.join(', ') ?? every,
    status !== undefined && became.status(status),
    retry_after !== undefined && became.retry(retry_after),
    delay_ms !== undefined && became.delay(delay_ms),
    cut && became.cut[when],
    share < 1 && became.share(Math.round(share * 100)),
    count !== undefined && became.count(count),
  ]
  return parts.filter((part) => typeof part === 'string').join(' · ')
}
