import { useViewAs } from '../../parts/access/view-as.ts'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { copyValue } from './copy-value.ts'
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
