import { Box, Button, Group, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { startFirstRun } from '../../parts/vaults/first-run-store.ts'
import { RestoreBackup } from '../../parts/vaults/restore-backup.tsx'
import { StartLayout } from '../../parts/vaults/start-layout.tsx'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { UnlockForm } from '../../parts/vaults/unlock-form.tsx'
import { Logo } from '../../ui/logo.tsx'
import { strings as t } from './strings.ts'

export function Unlock({ status }: { status: HostStatus }) {
  const { vaults, last_vault } = status
  const [chosenName, setChosenName] = useState(last_vault)
  const [restoring, setRestoring] = useState(false)
  const vault = vaults.find(({ name }) => name === chosenName) ?? vaults[0]
  if (!vault) return null

  return (
    <StartLayout narrow notices={status.notices}>
      <Stack gap="sm">
        <Group gap="sm" wrap="nowrap">
          <Logo size={26} />
          <Box miw={0}>
            <Box component="span" c="var(--text-dim)" fz={12} fw={600}>
              {t.product}
            </Box>
            <h1 className="clip" title={vault.name}>
              {t.title(vault.name)}
            </h1>
          </Box>
        </Group>
        {vaults.length > 1 && (
          <Select
            label={t.choose}
            data={vaults.map(({ name }) => name)}
            value={vault.name}
            onChange={setChosenName}
          />
        )}
        <UnlockForm key={vault.name} vault={vault}>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setRestoring(true)}>
            {vaultWords.restore.title}
          </Button>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={startFirstRun}>
            {vaultWords.newVault}
          </Button>
        </UnlockForm>
      </Stack>
      {restoring && <RestoreBackup file="" keychain={status.keychain} onClose={() => setRestoring(false)} />}
    </StartLayout>
  )
}
