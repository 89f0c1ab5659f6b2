import { useKeys } from '../../ui/keys/use-keys.ts'
import { hideData } from './drawer/drawer-store.ts'
import type { TokenAction } from './token-actions.ts'

/** What is beside the list: nothing, a token, or a form. */
export type Mode = 'list' | 'drawer' | 'edit' | 'new'

type Options = {
  /** What can be done with the token in the drawer, or at the keyboard's row. */
  readonly actions: readonly TokenAction[]
  readonly mode: Mode
  readonly onClose: () => void
  /** Leaves a form. */
  readonly onDone: () => void
  readonly onCreate: () => void
  readonly onFind: () => void
  /** Does the same with the selected tokens; undefined while none are selected. */
  readonly many:
    | { readonly remove: () => void; readonly copyIds: () => void; readonly clear: () => void }
    | undefined
}

/** Registers the shortcuts of the token list and its drawer. */
export function useTokenKeys({ actions, mode, onClose, onDone, onCreate, onFind, many }: Options): void {
  const run = (keys: string) => () => actions.find((action) => action.keys === keys)?.run()
  // Act only on a token that is visibly selected: in the drawer, or in the focused list.
  function remove(): void {
    if (many) many.remove()
    else if (mode === 'drawer' || document.activeElement?.getAttribute('role') === 'grid') run('Backspace')()
  }
  useKeys({ 'mod+n': onCreate, n: onCreate, 'mod+f': onFind, '/': onFind })
  useKeys({ escape: mode === 'drawer' ? onClose : onDone }, mode !== 'list')
  useKeys({ escape: () => many?.clear() }, mode === 'list' && many !== undefined)
  useKeys(
    {
      r: run('r'),
      h: hideData,
      v: run('v'),
      c: many ? many.copyIds : run('c'),
      e: run('e'),
      backspace: remove,
      delete: remove,
    },
    mode === 'list' || mode === 'drawer',
  )
}
