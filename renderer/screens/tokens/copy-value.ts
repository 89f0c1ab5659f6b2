import { isObject, type Json } from '../../../shared/json.ts'
import { useLooking } from '../../parts/access/looking.ts'
import { whileOpen } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { toast, toastFailure } from '../../parts/messages/toast.tsx'
import { copySecret } from '../../ui/text/clipboard.ts'
import { strings } from './strings.ts'

/**
 * Copies the plaintext of a token without showing it. SECURITY: the vault records it as a reveal, which it is, and the
 * clipboard forgets it like a value that was revealed first.
 */
export async function copyValue(id: string): Promise<void> {
  if (useLooking.getState().as) return
  const isOpen = whileOpen()
  try {
    const { data } = await vault.tokens.reveal({ id })
    if (!isOpen()) return
    const { what, text } = valueOf(data)
    const isForgotten = await copySecret(text)
    toast(strings.drawer.copiedValue(what, isForgotten))
  } catch (error) {
    toastFailure(error)
  }
}

/** What of the data is copied: the number of a card or account, or all of it. */
export function valueOf(data: Json | undefined): {
  readonly what: 'card' | 'account' | 'value'
  readonly text: string
} {
  if (isObject(data)) {
    const { number, account_number } = data
    if (typeof number === 'string') return { what: 'card', text: number }
    if (typeof account_number === 'string') return { what: 'account', text: account_number }
  }
  return { what: 'value', text: typeof data === 'string' ? data : JSON.stringify(data ?? null) }
}
