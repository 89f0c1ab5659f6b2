import { Button, Group, NumberInput } from '@mantine/core'
import { useState } from 'react'
import { formatSize } from '../../../shared/format-size.ts'
import type { HostStatus } from '../../../shared/host/status.ts'
import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { runJob } from '../../parts/connection/jobs.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { backUp } from '../../parts/vaults/back-up.ts'
import { getFileName, getFolderName } from '../../parts/vaults/backup-names.ts'
import { readBackups } from '../../parts/vaults/backups.ts'
import { ConfirmOwner } from '../../parts/vaults/confirm-owner.tsx'
import { JobProgress } from '../../parts/vaults/job-progress.tsx'
import type { ConfirmedVault } from '../../parts/vaults/owner-fields.tsx'
import { RestoreBackup } from '../../parts/vaults/restore-backup.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Lines, Section, SettingSwitch } from './fields.tsx'
import { saveSettings } from './save-settings.ts'
import { strings } from './strings.ts'

const t = strings.backups

/** Manual and daily backups: create, verify, restore. */
export function BackupsSection({ status }: { status: HostStatus }) {
  const { settings, vault } = status
  const { query } = useRoute()
  const backups = useLoaded(readBackups)
  const [restoring, setRestoring] = useState<string | null>(null)
  const [removing, setRemoving] = useState<BackupSummary | null>(null)
  const { runAction, problem, state } = useAction()
  const name = vault?.name
  const inMemory = vault?.protection === 'memory'
  // Another part of the window, such as the palette, opens this section to restore a backup.
  const isRequested = query.restore !== undefined

  async function verifyBackup(file: string) {
    await runJob('verify', () => host.verifyBackup({ file }))
    showToast(t.verified)
  }

  return (
    <Section name="backups" text={inMemory ? t.memory : t.text}>
      <Group>
        <Button
          leftSection={<Icon name="download" size={14} />}
          disabled={inMemory || state === 'running'}
          onClick={() => runAction(() => backUp().then(backups.load))}
        >
          {t.now}
        </Button>
        <ActionButton label={t.restoreFile} onClick={() => setRestoring('')} />
      </Group>
      <JobProgress job="backup" what={t.running} />
      <JobProgress job="verify" what={t.verifying} />
      <Problem of={problem} />
      <SettingSwitch name="backup_daily" label={t.daily} />
      <NumberInput
        key={settings.backups_kept}
        label={t.kept}
        description={t.keptHelp}
        min={1}
        max={365}
        styles={{ wrapper: { maxWidth: 140 } }}
        defaultValue={settings.backups_kept}
        clampBehavior="strict"
        allowDecimal={false}
        onBlur={({ currentTarget }) => {
          const backups_kept = Number(currentTarget.value)
          if (backups_kept >= 1 && backups_kept !== settings.backups_kept)
            saveSettings({ backups_kept }).catch(showFailureToast)
        }}
      />
      <LoadedView of={backups}>
        {(list) => (
          <BackupList
            backups={list}
            name={name}
            onVerify={(file) => runAction(() => verifyBackup(file))}
            onRestore={setRestoring}
            onRemove={setRemoving}
          />
        )}
      </LoadedView>
      {removing && (
        <ConfirmOwner
          title={t.removeTitle}
          action={t.remove}
          vault={findConfirmedVault(removing, status)}
          onConfirm={async (credential) => {
            await host.removeBackup({ file: removing.file, with: credential })
            await backups.load()
            showToast(t.removed)
          }}
          onClose={() => setRemoving(null)}
        >
          <span>
            {t.removeText} <span className="mono">{getFileName(removing.file)}</span>
          </span>
        </ConfirmOwner>
      )}
      {(restoring !== null || isRequested) && (
        <RestoreBackup
          file={restoring ?? ''}
          keychain={status.keychain}
          onClose={() => {
            setRestoring(null)
            if (isRequested) navigate(toHref('settings', 'backups'), { replace: true })
          }}
        />
      )}
    </Section>
  )
}

type BackupListProps = {
  readonly backups: readonly BackupSummary[]
  /** The vault's name, for a backup that does not contain it. */
  readonly name: string | undefined
  readonly onVerify: (file: string) => void
  readonly onRestore: (file: string) => void
  readonly onRemove: (backup: BackupSummary) => void
}

/** The vault to unlock before its backup is deleted, or the backup itself if the vault no longer exists. */
function findConfirmedVault(backup: BackupSummary, { vaults }: HostStatus): ConfirmedVault {
  const { name = getFolderName(backup.file), protection } = backup
  const vault = vaults.find((each) => each.name === name)
  return { name, protection: vault?.protection ?? protection ?? 'passphrase' }
}

function BackupList({ backups, name, onVerify, onRestore, onRemove }: BackupListProps) {
  return (
    <Lines none={t.none}>
      {backups.map((backup) => (
        <li key={backup.file}>
          <Icon name="database" size={14} />
          <span>{backup.name ?? name}</span>
          {backup.made_at !== undefined && (
            <span className="faint">
              <Time at={backup.made_at} clock="machine" />
              {backup.reason && `, ${t.reasons[backup.reason]}`}
              {backup.bytes !== undefined && `, ${formatSize(backup.bytes)}`}
            </span>
          )}
          {backup.problem !== undefined && <span className="error">{backup.problem}</span>}
          <Group gap={4} ml="auto" wrap="nowrap">
            <CopyButton value={backup.file} what={t.path} />
            <IconButton icon="shield" label={t.verify} onClick={() => onVerify(backup.file)} hasTooltip />
            <IconButton icon="undo" label={t.restore} onClick={() => onRestore(backup.file)} hasTooltip />
            <IconButton icon="trash" label={t.remove} onClick={() => onRemove(backup)} hasTooltip />
          </Group>
        </li>
      ))}
    </Lines>
  )
}
