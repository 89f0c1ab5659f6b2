import { useLoaded } from '../connection/use-loaded.tsx'
import { host } from '../connection/vault.ts'

/** What keeps code apart from this machine (rule F-02); null until it is known. */
export function useIsolation(): string | null {
  const { value } = useLoaded(() => host.codeIsolation())
  return value?.text ?? null
}
