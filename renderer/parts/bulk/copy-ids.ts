import type { TokenSelection } from '../../../shared/schemas/bulk.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast, showToast } from '../messages/toast.tsx'
import { pinSelection } from './bulk-store.ts'
import { strings } from './strings.ts'

export async function copySelectedIds(selection: TokenSelection): Promise<void> {
  try {
    const { name } = await pinSelection(selection)
    const { ids } = await host.selectedIds({ selection: name })
    await copyText(ids.join('\n'))
    showToast(strings.copied(ids.length))
  } catch (error) {
    showFailureToast(error)
  }
}
