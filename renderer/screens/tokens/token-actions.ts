import { useViewAs } from '../../parts/access/view-as.ts'
import { createOpenCheck } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { copySecret } from '../../ui/text/clipboard.ts'
import { toCopiedText } from './copied-value.ts'
import { hideData, openToken, revealData, useDrawer } from './drawer/drawer-store.ts'
import { strings } from './strings.ts'

const t = strings.drawer

/** The owner's actions that only tokens have. `open` opens the drawer of the token. */
export function useTokenActions(): (id: string, open: () => void) => readonly GridAction[] {
  const isOwner = useViewAs(({ as }) => as === null)
  const revealed = useDrawer((drawer) => drawer.revealed !== null)
  const openId = useDrawer((drawer) => drawer.id)
  return (id, open) => {
    if (!isOwner) return []
    const hide: GridAction = { label: t.hide, icon: 'eye-off', keys: 'h', run: hideData }
    const reveal: GridAction = {
      label: t.reveal,
      icon: 'eye',
      keys: 'r',
      async run() {
        open()
        await openToken(id)
        await revealData()
      },
    }
    return [
      revealed && openId === id ? hide : reveal,
      { label: t.copyValue, icon: 'key', keys: 'v', run: () => copyValue(id) },
    ]
  }
}

/**
 * Copies a token's plaintext without showing it. SECURITY: the vault logs this as a reveal, and the clipboard
 * is cleared after 30 seconds if the browser allows it.
 */
async function copyValue(id: string): Promise<void> {
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
