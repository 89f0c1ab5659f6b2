import { Dialog } from '../../ui/dialog.tsx'
import { vaultStore } from '../connection/store.ts'
import { toast } from '../messages/toast.tsx'
import { RecoveryKey } from './recovery-key.tsx'
import { strings } from './strings.ts'

type Fresh = {
  readonly recovery_key: string | null
  /** Announced once the key is saved. */
  readonly done: string
}

// SECURITY: a vault store, so that locking the vault removes the key from the window.
const useFresh = vaultStore<Fresh>(() => ({ recovery_key: null, done: '' }))

/** Shows the open vault's new recovery key over everything until it is saved. */
export function showRecoveryKey(recovery_key: string, done: string): void {
  useFresh.setState({ recovery_key, done })
}

/** The new recovery key, while there is one to save. Only passing the check closes it. */
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
