import { Button, Checkbox, Group } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus, VaultSummary } from '../../../shared/host/status.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { ConfirmOwner } from '../../parts/vaults/confirm-owner.tsx'
import { startFirstRun } from '../../parts/vaults/first-run-store.ts'
import { lockVault } from '../../parts/vaults/lock.ts'
import { OpenVault } from '../../parts/vaults/open-vault.tsx'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { Chip } from '../../ui/chip.tsx'
import { Caution, Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Properties } from '../../ui/properties.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Lines, Section } from './fields.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.vault

export function VaultSection({ status }: { status: HostStatus }) {
  const { vault, vaults } = status
  const [opening, setOpening] = useState<VaultSummary | null>(null)
  const [removing, setRemoving] = useState<VaultSummary | null>(null)
  return (
    <Section name="vaults" text={t.text}>
      {status.notices.map((notice) => (
        <Caution key={notice}>{notice}</Caution>
      ))}
      <Properties
        of={{
          [t.name]: vault?.name,
          [t.protection]: vault && t.protections[vault.protection],
          [t.folder]: <span className="mono">{status.data_dir}</span>,
          [t.version]: status.version,
        }}
      />
      <div>
        <div className="label">{t.others}</div>
        <Lines none={t.none}>
          {vaults.map((each) => {
            const { name, created_at, problem } = each
            const open = name === vault?.name && vault.protection !== 'memory'
            return (
              <li key={name}>
                <Icon name="database" size={14} />
                <MarkedSpan className="clip" text={name} />
                {open && <Chip tone="green">{t.open}</Chip>}
                {created_at !== undefined && (
                  <span className="faint">
                    {t.created} <Time at={created_at} clock="machine" />
                  </span>
                )}
                {problem !== undefined && <Failure>{problem}</Failure>}
                {problem === undefined && (
                  <Group gap={4} ml="auto" wrap="nowrap">
                    {!open && (
                      <ActionButton
                        label={t.openAction}
                        size="compact-xs"
                        aria-label={t.openOther(name)}
                        onClick={() => setOpening(each)}
                      />
                    )}
                    <Button
                      variant="subtle"
                      color="red"
                      size="compact-xs"
                      aria-label={t.remove(name)}
                      onClick={() => setRemoving(each)}
                    >
                      {t.removeAction}
                    </Button>
                  </Group>
                )}
              </li>
            )
          })}
        </Lines>
      </div>
      <Group>
        <ActionButton icon="plus" label={vaultWords.newVault} onClick={startFirstRun} />
        <ActionButton icon="lock" label={vaultWords.lock} onClick={lockVault} />
      </Group>
      <Incidents version={status.version} shell={status.shell} />
      {removing && (
        <DeleteVault
          vault={removing}
          isOpen={removing.name === vault?.name && vault.protection !== 'memory'}
          onClose={() => setRemoving(null)}
        />
      )}
      {opening && vault && <OpenVault vault={opening} instead={vault} onClose={() => setOpening(null)} />}
    </Section>
  )
}

/** Internal errors, to copy into a bug report. Renders nothing if there are none, or while unknown. */
function Incidents({ version, shell }: Pick<HostStatus, 'version' | 'shell'>) {
  const { value } = useLoaded(() => host.incidents())
  if (!value?.last) return null
  const { count, since, last, incidents } = value
  const text = JSON.stringify(
    { version, shell, agent: navigator.userAgent, count, since, incidents },
    null,
    2,
  )
  return (
    <div>
      <p className={styles.text}>
        {t.incidents(count)} <Time at={last} clock="machine" />. {t.incidentsHelp}
      </p>
      <CopyButton value={text} what={t.copyDiagnostics} label={t.copyDiagnostics} />
    </div>
  )
}

type Props = {
  readonly vault: VaultSummary
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Deletes a vault after the user has unlocked it again. */
function DeleteVault({ vault: { name, protection = 'passphrase' }, isOpen, onClose }: Props) {
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
