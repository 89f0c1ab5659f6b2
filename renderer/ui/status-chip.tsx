import { Chip } from './chip.tsx'

/** An HTTP status, coloured by its class. */
export function StatusChip({ status }: { status: number }) {
  return <Chip tone={status >= 400 ? 'red' : 'plain'}>{status}</Chip>
}
