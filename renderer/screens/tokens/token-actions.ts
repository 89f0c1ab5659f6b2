import { useLooking } from '../../parts/access/looking.ts'
import { toast } from '../../parts/messages/toast.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { copyText } from '../../ui/text/clipboard.ts'
import { copyValue } from './copy-value.ts'
import { hideData, openToken, revealData, useDrawer } from './drawer/drawer-store.ts'
import { strings } from './strings.ts'

const t = strings.drawer

export type TokenAction = GridAction & {
  /** Whether the drawer has a button for it: there, the id has its own, and the token is open. */
  readonly inDrawer: boolean
}

type Does = {
  readonly onOpen: (id: string) => void
  readonly onEdit: (id: string) => void
  readonly onDelete: (id: string) => void
}

/** What can be done with one token: the entries of its menu, the buttons of its drawer, and the shortcuts. */
export function useTokenActions({ onOpen, onEdit, onDelete }: Does): (id: string) => readonly TokenAction[] {
  const { as } = useLooking()
  const revealed = useDrawer((drawer) => drawer.revealed !== null)
  const shown = useDrawer((drawer) => drawer.id)
  return (id) => {
    const open: TokenAction = {
      label: t.open,
      icon: 'right',
      keys: 'enter',
      inDrawer: false,
      run: () => onOpen(id),
    }
    const hide: TokenAction = { label: t.hide, icon: 'eye-off', keys: 'h', inDrawer: true, run: hideData }
    const reveal: TokenAction = {
      label: t.reveal,
      icon: 'eye',
      keys: 'r',
      inDrawer: true,
      async run() {
        onOpen(id)
        await openToken(id)
        revealData()
      },
    }
    const owners: TokenAction[] = [
      revealed && shown === id ? hide : reveal,
      { label: t.copyValue, icon: 'key', keys: 'v', inDrawer: true, run: () => copyValue(id) },
    ]
    return [
      open,
      ...(as ? [] : owners),
      {
        label: t.copyTheId,
        icon: 'copy',
        keys: 'c',
        inDrawer: false,
        async run() {
          await copyText(id)
          toast(t.copied)
        },
      },
      { label: t.edit, icon: 'pencil', keys: 'e', inDrawer: true, run: () => onEdit(id) },
      {
        label: t.remove,
        icon: 'trash',
        keys: 'Backspace',
        danger: true,
        inDrawer: true,
        run: () => onDelete(id),
      },
    ]
  }
}
