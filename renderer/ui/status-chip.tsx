import { Chip } from './chip.tsx'

export function StatusChip({ status }: { status: number }) {
  return <Chip tone={status >= 400 ? 'red' : 'plain'}>{status}</Chip>
}
