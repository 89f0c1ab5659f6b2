import { strings } from '../strings.ts'
import { toast } from '../toast.tsx'
import { copyText } from '../ui/clipboard.ts'
import { useKeys } from '../ui/use-keys.ts'
import { hideData, openToken, revealData } from './drawer-store.ts'

type Options = {
  /** The token the keys are about: that of the drawer, or the row the keyboard is on. */
  readonly current: string | null
  readonly mode: 'list' | 'drawer' | 'edit' | 'new'
  readonly onMove: (by: number) => void
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
  const { current, mode, onMove, onOpen, onClose, onDone, onCreate, onFind, onEdit, onDelete } = options
  const about = (run: (id: string) => void) => () => {
    if (current !== null) run(current)
  }
  useKeys({ 'mod+n': onCreate, n: onCreate, 'mod+f': onFind, '/': onFind })
  useKeys({ escape: mode === 'drawer' ? onClose : onDone }, mode !== 'list')
  useKeys(
    {
      arrowdown: () => onMove(1),
      arrowup: () => onMove(-1),
      r: about(async (id) => {
        if (mode === 'list') onOpen(id)
        await openToken(id)
        revealData()
      }),
      h: hideData,
      c: about(async (id) => {
        await copyText(id)
        toast(strings.tokens.drawer.copied)
      }),
      e: about(onEdit),
      backspace: about(onDelete),
      delete: about(onDelete),
    },
    mode === 'list' || mode === 'drawer',
  )
}
