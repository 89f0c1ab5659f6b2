import { Stack } from '@mantine/core'
import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Caution } from '../../ui/failure.tsx'
import { navigate } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import { strings } from './strings.ts'
import { UnlockForm } from './unlock-form.tsx'

const t = strings.unlock

type Props = {
  readonly vault: VaultSummary
  /** The vault that is open now, which will be locked. */
  readonly instead: NonNullable<HostStatus['vault']>
  readonly onClose: () => void
}

/** Asks for the credential of another vault, and opens it in place of the current one. */
export function OpenVault({ vault, instead, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={t.openTitle(vault.name)} size={400}>
      <Stack gap="sm">
        {instead.protection === 'memory' ? (
          <Caution>{t.insteadOfMemory}</Caution>
        ) : (
          <span className="dim">{t.insteadOf(instead.name)}</span>
        )}
        <UnlockForm
          vault={vault}
          onOpened={() => {
            onClose()
            navigate(toHref('home'))
          }}
        />
      </Stack>
    </Dialog>
  )
}
