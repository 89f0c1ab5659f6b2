import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useMay, useViewAs } from '../access/view-as.ts'
import { useJob } from '../connection/jobs.ts'
import { strings } from './strings.ts'

const t = strings.actions

export type BulkActionName = 'remove' | 'move' | 'setMetadata' | 'removeMetadata' | 'expire' | 'exported'

/** The actions for selected tokens, each with the reason if it is disabled, by the permissions of the view. */
export function useBulkActions(
  onAsk: (asked: BulkActionName) => void,
  copyIds: () => void,
): readonly GridAction[] {
  const { as } = useViewAs()
  const mayDelete = useMay('token:delete')
  const mayUpdate = useMay('token:update')
  const isBusy = useJob('selected tokens') !== undefined
  const getBlockedReason = (may: boolean, permission: string) =>
    as && !may ? strings.mayNot(as.name, permission) : undefined
  const changing = getBlockedReason(mayUpdate, 'token:update') ?? (isBusy ? strings.busy : undefined)
  const createChangeAction = (name: BulkActionName, icon: GridAction['icon']): GridAction => ({
    label: t[name],
    icon,
    disabledReason: changing,
    run: () => onAsk(name),
  })
  return [
    createChangeAction('move', 'folder'),
    createChangeAction('setMetadata', 'pencil'),
    createChangeAction('removeMetadata', 'close'),
    createChangeAction('expire', 'clock'),
    {
      label: t.exported,
      icon: 'download',
      disabledReason: as ? strings.ownerOnly : undefined,
      run: () => onAsk('exported'),
    },
    { label: t.copyIds, icon: 'copy', keys: 'c', run: copyIds },
    {
      label: t.remove,
      icon: 'trash',
      keys: 'Backspace',
      danger: true,
      disabledReason: getBlockedReason(mayDelete, 'token:delete'),
      run: () => onAsk('remove'),
    },
  ]
}
