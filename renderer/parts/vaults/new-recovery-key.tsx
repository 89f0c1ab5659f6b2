import { Dialog } from '../../ui/dialog.tsx'
import { vaultStore } from '../connection/store.ts'
import { toast } from '../messages/toast.tsx'
import { RecoveryKey } from './recovery-key.tsx'
import { strings } from './strings.ts'

type Fresh = {
  readonly recovery_key: string | null
  /** Said when it is kept. */
  readonly done: string
}

// SECURITY: a store of the vault, so that the key leaves the window when the vault is locked.
const useFresh = vaultStore<Fresh>(() => ({ recovery_key: null, done: '' }))

/** Shows the new recovery key of the open vault over everything, until it is kept. */
export function showRecoveryKey(recovery_key: string, done: string): void {
  useFresh.setState({ recovery_key, done })
}

/** The new recovery key, while there is one to keep. It is closed by nothing but the check. */
export function NewRecoveryKey({ name }: { name: string }) {
  const { recovery_key, done } = useFresh()
  if (recovery_key === null) return null
  return (
    <Dialog
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={strings.recovery.title}
      size={560}
    >
      <RecoveryKey
        name={name}
        recovery_key={recovery_key}
        onKept={() => {
          useFresh.setState({ recovery_key: null })
          toast(done)
        }}
      />
    </Dialog>
  )
}
