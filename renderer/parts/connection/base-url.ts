import { useSession } from './session.ts'

/** The listener's base URL; while it is off, the URL it would have. */
export function useBaseUrl(): string {
  const status = useSession((session) => session.status)
  const { listener, settings } = status ?? {}
  return listener?.state === 'on' ? listener.url : `http://127.0.0.1:${settings?.port || 4747}`
}
