import { useViewAs } from '../../parts/access/view-as.ts'
import { createOpenCheck } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { copySecret } from '../../ui/text/clipboard.ts'
import { toCopiedText } from './copied-value.ts'
import { strings } from './strings.ts'

/**
 * Copies a token's plaintext without showing it. SECURITY: the vault logs this as a reveal, and the clipboard
 * is cleared after 30 seconds if the browser allows it.
 */
export async function copyValue(id: string): Promise<void> {
  if (useViewAs.getState().as) return
  const isOpen = createOpenCheck()
  try {
    const { data } = await vault.tokens.reveal({ id })
    if (!isOpen()) return
    const { what, text } = toCopiedText(data)
    const isForgotten = await copySecret(text)
    showToast(strings.drawer.copiedValue(what, isForgotten))
  } catch (error) {
    showFailureToast(error)
  }
}
