import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useLooking, useMay } from '../access/looking.ts'
import { useJob } from '../connection/jobs.ts'
import { strings } from './strings.ts'

const t = strings.actions

/** What can be asked for many tokens. */
export type Asked = 'remove' | 'move' | 'setMetadata' | 'removeMetadata' | 'expire' | 'exported'

/**
 * What can be done with the selected tokens, with the reason for what cannot. While looking as an application, that is
 * what its key may do.
 */
export function useBulkActions(ask: (asked: Asked) => void, copyIds: () => void): readonly GridAction[] {
  const { as } = useLooking()
  const mayDelete = useMay('token:delete')
  const mayUpdate = useMay('token:update')
  const isBusy = useJob('selected tokens') !== undefined
  const without = (may: boolean, permission: string) =>
    as && !may ? strings.mayNot(as.name, permission) : undefined
  const changing = without(mayUpdate, 'token:update') ?? (isBusy ? strings.busy : undefined)
  const change = (asked: Asked, icon: GridAction['icon']): GridAction => ({
    label: t[asked],
    icon,
    refused: changing,
    run: () => ask(asked),
  })
  return [
    change('move', 'folder'),
    change('setMetadata', 'pencil'),
    change('removeMetadata', 'close'),
    change('expire', 'clock'),
    {
      label: t.exported,
      icon: 'download',
      refused: as ? strings.ownerOnly : undefined,
      run: () => ask('exported'),
    },
    { label: t.copyIds, icon: 'copy', keys: 'c', run: copyIds },
    {
      label: t.remove,
      icon: 'trash',
      keys: 'Backspace',
      danger: true,
      refused: without(mayDelete, 'token:delete'),
      run: () => ask('remove'),
    },
  ]
}
