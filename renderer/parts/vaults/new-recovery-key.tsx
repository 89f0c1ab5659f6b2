import { CofferError } from '../../../shared/errors.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { createVaultStore } from '../connection/store.ts'
import { RecoveryKey } from './recovery-key.tsx'
import styles from './start-layout.module.css'
import { strings } from './strings.ts'

type Fresh = {
  readonly recovery_key: string | null
  /** The reason for the new key, if the owner did not request one. */
  readonly why?: string | undefined
  readonly end: (isSaved: boolean) => void
}

// SECURITY: a vault store, so that locking the vault removes the key from the window.
const useFresh = createVaultStore<Fresh>(() => ({ recovery_key: null, why: undefined, end: () => {} }))

/**
 * Shows a new recovery key in a dialog. Resolves once the owner has saved the key: only then may it replace
 * the old one. Rejects with `cancelled`.
 */
export async function saveRecoveryKey(recovery_key: string, why?: string): Promise<void> {
  const isSaved = await new Promise<boolean>((end) => useFresh.setState({ recovery_key, why, end }))
  useFresh.setState({ recovery_key: null, why: undefined, end: () => {} })
  if (!isSaved) throw new CofferError('cancelled', strings.recovery.notSaved)
}

/** The dialog of a new recovery key. It closes only when the owner proves that the key is saved, or cancels. */
export function NewRecoveryKey({ name }: { name: string }) {
  const { recovery_key, why, end } = useFresh()
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
      {why !== undefined && <p className={styles.intro}>{why}</p>}
      <RecoveryKey
        name={name}
        recovery_key={recovery_key}
        onSaved={() => end(true)}
        onCancel={() => end(false)}
      />
    </Dialog>
  )
}
