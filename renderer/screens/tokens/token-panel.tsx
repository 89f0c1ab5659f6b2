import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { readToken } from './drawer/drawer-store.ts'
import { TokenDrawer } from './drawer/token-drawer.tsx'
import { EditToken } from './forms/edit-token.tsx'
import { NewToken } from './forms/new-token.tsx'
import type { FilterName } from './list/token-filters.ts'
import { showToken } from './list/tokens-store.ts'

/** What is next to the list: nothing, a token, or a form. */
export type TokenPanelMode = 'list' | 'drawer' | 'edit' | 'new'

type Props = {
  readonly id: string | null
  readonly mode: TokenPanelMode
  readonly onClose: () => void
  /** Leaves a form; asks first if unsaved input would be lost. */
  readonly onCancel: () => void
  /** Leaves a saved form and opens this token's drawer. */
  readonly onLeave: (id: string) => Promise<void>
  readonly actions: readonly GridAction[]
  readonly onFilter: (name: FilterName, value: string) => void
}

export function TokenPanel({ id, mode, onClose, onCancel, onLeave, actions, onFilter }: Props) {
  if (mode === 'new') {
    return (
      <NewToken
        onClose={onCancel}
        onCreated={async (token) => {
          await showToken(token, true)
          await onLeave(token.id)
        }}
      />
    )
  }
  if (id === null) return null
  if (mode === 'edit') {
    return (
      <EditToken
        key={id}
        id={id}
        onClose={onCancel}
        onSaved={async (token) => {
          await showToken(token, false)
          await onLeave(id)
          await readToken(id)
        }}
      />
    )
  }
  return <TokenDrawer id={id} actions={actions} onClose={onClose} onFilter={onFilter} />
}
