import { useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useSession } from '../connection/session.ts'
import { strings } from './strings.ts'
import { UnlockForm } from './unlock-form.tsx'

const t = strings.unlock

/** Unlocks the vault of the page in place, so that its unsaved input stays. Renders nothing if that is not possible. */
export function UnlockAgain() {
  const [isOpen, setOpen] = useState(false)
  const { status, next } = useSession()
  const vault = next?.vaults.find(({ name }) => name === status?.vault?.name)
  if (!vault || next?.vault) return null
  return (
    <>
      <ActionButton label={t.unlock} size="compact-xs" onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog onClose={() => setOpen(false)} title={t.openTitle(vault.name)} size={400}>
          <UnlockForm vault={vault} />
        </Dialog>
      )}
    </>
  )
}
