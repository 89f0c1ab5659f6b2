import { host } from '../connection/vault.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { strings } from './strings.ts'

const t = strings.clock

export const clockMoves = {
  hour: { label: t.hour, move: { advance: 3600 } },
  day: { label: t.day, move: { advance: 86_400 } },
  expiry: { label: t.expiry, move: { to: 'next expiry' } },
  back: { label: t.back, move: { to: 'this computer' } },
} as const

export function moveClock({ move }: (typeof clockMoves)[keyof typeof clockMoves]): void {
  host.moveClock(move).catch(showFailureToast)
}
