import { toast } from '../../parts/messages/toast.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { hideData, openToken, revealData } from './drawer/drawer-store.ts'
import { strings } from './strings.ts'

/** What lies beside the list: nothing, a token, or a form. */
export type Mode = 'list' | 'drawer' | 'edit' | 'new'

type Options = {
  /** The token the keys are about: that of the drawer, or the row the keyboard is on. */
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

/** The shortcuts of the token list and its drawer. */
export function useTokenKeys(options: Options): void {
  const { current, mode, onOpen, onClose, onDone, onCreate, onFind, onEdit, onDelete } = options
  const about = (run: (id: string) => void) => () => {
    if (current !== null) run(current)
  }
  // Only what is in view as the one the keys are about: in the drawer, or in the list that has the focus.
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
