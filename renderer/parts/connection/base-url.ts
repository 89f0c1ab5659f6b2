import { useSession } from './session.ts'

/** The listener's base URL; while the listener is off, the URL that it would have. */
export function useBaseUrl(): string {
  const status = useSession((session) => session.status)
  const { listener, settings } = status ?? {}
  return listener?.state === 'on' ? listener.url : `http://127.0.0.1:${settings?.port || 4747}`
}
