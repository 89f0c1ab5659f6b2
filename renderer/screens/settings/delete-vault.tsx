import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import type { VaultSummary } from '../../../shared/host/status.ts'
import { host } from '../../parts/connection/vault.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { ConfirmOwner } from '../../parts/vaults/confirm-owner.tsx'
import { Caution } from '../../ui/failure.tsx'
import { strings } from './strings.ts'

const t = strings.vault

type Props = {
  readonly vault: VaultSummary
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Deletes a vault after the user has unlocked it again. */
export function DeleteVault({ vault: { name, protection = 'passphrase' }, isOpen, onClose }: Props) {
  const [with_backups, setWithBackups] = useState(false)
  return (
    <ConfirmOwner
      title={t.removeTitle}
      action={t.removeConfirm}
      vault={{ name, protection }}
      onConfirm={async (credential) => {
        const done = await host.deleteVault({ name, with_backups, with: credential })
        showToast(
          [t.removeDone(name, done.backups_kept), ...(done.keychain_left > 0 ? [t.keychainLeft] : [])].join(
            ' ',
          ),
        )
      }}
      onClose={onClose}
    >
      <Caution>
        {t.removeText(name)}
        {isOpen && ` ${t.removeOpen}`}
      </Caution>
      <Checkbox
        label={t.removeBackups}
        checked={with_backups}
        onChange={(event) => setWithBackups(event.currentTarget.checked)}
      />
    </ConfirmOwner>
  )
}
