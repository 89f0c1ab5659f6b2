import { toast } from '../../parts/messages/toast.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { hideData, openToken, revealData } from './drawer/drawer-store.ts'
import { strings } from './strings.ts'

/** What is beside the list: nothing, a token, or a form. */
export type Mode = 'list' | 'drawer' | 'edit' | 'new'

type Options = {
  /** The token the shortcuts act on: the one in the drawer, or the keyboard's row. */
  readonly current: string | null
  readonly mode: Mode
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
  /** Leaves a form. */
  readonly onDone: () => void
  readonly onCreate: () => void
  readonly onFind: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** Registers the shortcuts of the token list and its drawer. */
export function useTokenKeys(options: Options): void {
  const { current, mode, onOpen, onClose, onDone, onCreate, onFind, onEdit, onDelete } = options
  const about = (run: (id: string) => void) => () => {
    if (current !== null) run(current)
  }
  // Act only on a token that is visibly selected: in the drawer, or in the focused list.
  const remove = about(() => {
    if (mode === 'drawer' || document.activeElement?.getAttribute('role') === 'grid') onDelete()
  })
  useKeys({ 'mod+n': onCreate, n: onCreate, 'mod+f': onFind, '/': onFind })
  useKeys({ escape: mode === 'drawer' ? onClose : onDone }, mode !== 'list')
  useKeys(
    {
      r: about(async (id) => {
        if (mode === 'list') onOpen(id)
        await openToken(id)
        revealData()
      }),
      h: hideData,
      c: about(async (id) => {
        await copyText(id)
        toast(strings.drawer.copied)
      }),
      e: about(onEdit),
      backspace: remove,
      delete: remove,
    },
    mode === 'list' || mode === 'drawer',
  )
}
