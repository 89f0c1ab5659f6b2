import { Group, Select, TextInput } from '@mantine/core'
import { useEffect } from 'react'
import { followChanges } from '../../../parts/connection/change-subscription.ts'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { showFailureToast, showToast } from '../../../parts/messages/toast.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { Section } from '../section.tsx'
import styles from '../settings.module.css'
import { ImportFile } from './import-file.tsx'
import { strings } from './strings.ts'

const t = strings.banks
type Account = Awaited<ReturnType<typeof vault.banks.list>>['data'][number]
type Status = Account['status']
const statuses = Object.keys(t.statuses) as Status[]
const tones = { enabled: 'green', disabled: 'red', inconclusive: 'amber' } as const

async function readAccounts(): Promise<{ accounts: readonly Account[]; total: number }> {
  const { data, pagination } = await vault.banks.list({ size: 100 })
  return { accounts: data, total: pagination.total_items }
}

/** The accounts that bank verification recognizes. */
export function BanksSection() {
  const directory = useLoaded(readAccounts)
  const { load } = directory
  useEffect(() => followChanges(['bank_account'], load), [load])
  async function removeAccount(account: Account) {
    const { routing_number, account_number } = account
    try {
      await vault.banks.remove({ routing_number, account_number })
      await load()
      showToast(t.removed, { undo: () => vault.banks.put(account).then(load) })
    } catch (error) {
      showFailureToast(error)
    }
  }
  async function exportAccounts() {
    saveText(t.file, (await vault.banks.exportCsv()).csv)
  }
  const { total = 0, accounts = [] } = directory.value ?? {}
  const more = total > accounts.length ? total : 0
  return (
    <Section name="banks" text={t.text}>
      <AddAccount onAdded={load} />
      <LoadedView of={directory}>
        {({ accounts, total }) => (
          <>
            {total === 0 && <span className="faint">{t.none}</span>}
            {total > 0 && (
              <table className={styles.table}>
                <TableHead labels={[t.routing, t.account, t.status]} action={t.remove('')} />
                <tbody>
                  {accounts.map((account) => (
                    <tr key={`${account.routing_number} ${account.account_number}`}>
                      <td className="mono">{account.routing_number}</td>
                      <td className="mono">{account.account_number}</td>
                      <td>
                        <Chip tone={tones[account.status]}>{account.status}</Chip>
                      </td>
                      <td>
                        <IconButton
                          icon="close"
                          label={t.remove(account.account_number)}
                          onClick={() => removeAccount(account)}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </LoadedView>
      <Group gap="xs">
        <ImportFile
          label={t.import}
          onImport={(csv, dry_run) => vault.banks.importCsv({ csv, dry_run })}
          onDone={load}
        />
        <ActionButton
          label={t.export}
          disabled={!directory.value?.total}
          onClick={() => exportAccounts().catch(showFailureToast)}
        />
        <span className="faint">{more ? t.count(more.toLocaleString('en')) : t.format}</span>
      </Group>
    </Section>
  )
}

function AddAccount({ onAdded }: { onAdded: () => Promise<void> }) {
  const form = useForm({
    initial: (): Account => ({ routing_number: '', account_number: '', status: 'enabled' }),
    getUnsavedInput: ({ account_number }) => account_number,
    send: (account) => vault.banks.put(account),
    onDone() {
      form.reset({ ...form.values, account_number: '' })
      return onAdded()
    },
  })
  const unnamed = form.problem !== null && Object.keys(form.errors).length === 0
  return (
    <form onSubmit={form.submit}>
      <Group align="start" gap="xs">
        <TextInput
          label={t.routing}
          classNames={{ input: 'mono' }}
          w={140}
          maxLength={9}
          {...form.text('routing_number')}
        />
        <TextInput
          label={t.account}
          classNames={{ input: 'mono' }}
          w={180}
          maxLength={17}
          {...form.text('account_number')}
        />
        <Select
          label={t.status}
          w={130}
          data={statuses}
          value={form.values.status}
          onChange={(value) => value && form.change({ status: value })}
        />
        <ActionButton label={t.add} type="submit" mt={21} />
      </Group>
      {unnamed && <Problem of={form.problem} />}
    </form>
  )
}
