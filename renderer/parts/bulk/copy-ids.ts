import type { Selection } from '../../../shared/schemas/bulk.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { host } from '../connection/vault.ts'
import { toast, toastFailure } from '../messages/toast.tsx'
import { fixed } from './bulk-store.ts'
import { strings } from './strings.ts'

/** Copies the ids of the selected tokens, one a line. */
export async function copyIdsOf(selection: Selection): Promise<void> {
  try {
    const { name } = await fixed(selection)
    const { ids } = await host.host.selectedIds({ selection: name })
    await copyText(ids.join('\n'))
    toast(strings.copied(ids.length))
  } catch (error) {
    toastFailure(error)
  }
}
