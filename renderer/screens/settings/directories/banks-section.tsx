import { Group, Select } from '@mantine/core'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host, vault } from '../../../parts/connection/vault.ts'
import { useForm } from '../../../parts/forms/use-form.ts'
import { showFailureToast, showToast } from '../../../parts/messages/toast.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { MonoInput } from '../../../ui/fields/mono-fields.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import { DataTable } from '../../../ui/row-table.tsx'
import { saveText } from '../../../ui/text/save-text.ts'
import { LineForm, Section } from '../fields.tsx'
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

export function BanksSection() {
  const directory = useLoaded(readAccounts, { follows: ['bank_account'] })
  const { load } = directory
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
    let part = await vault.banks.exportCsv({})
    let { csv } = part
    for (; part.next; csv += part.csv) part = await vault.banks.exportCsv({ after: part.next })
    saveText(t.file, csv)
  }
  const { total = 0, accounts = [] } = directory.value ?? {}
  const more = total > accounts.length ? total : 0
  return (
    <Section name="banks" text={t.text}>
      <AddAccount onAdded={load} />
      <LoadedView of={directory}>
        {({ accounts }) => (
          <DataTable
            none={t.none}
            rows={accounts}
            keyOf={({ routing_number, account_number }) => `${routing_number} ${account_number}`}
            columns={[
              { label: t.routing, render: ({ routing_number }) => routing_number, className: 'mono' },
              { label: t.account, render: ({ account_number }) => account_number, className: 'mono' },
              { label: t.status, render: ({ status }) => <Chip tone={tones[status]}>{status}</Chip> },
              {
                label: t.remove(''),
                is: 'action',
                render: (account) => (
                  <IconButton
                    icon="close"
                    label={t.remove(account.account_number)}
                    onClick={() => removeAccount(account)}
                  />
                ),
              },
            ]}
          />
        )}
      </LoadedView>
      <Group gap="xs">
        <ImportFile
          label={t.import}
          onImport={(csv, dry_run) => host.importBanks({ csv, dry_run })}
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
  return (
    <LineForm form={form} action={t.add} placed={['routing_number', 'account_number', 'status']}>
      <MonoInput label={t.routing} w={140} maxLength={9} {...form.text('routing_number')} />
      <MonoInput label={t.account} w={180} maxLength={17} {...form.text('account_number')} />
      <Select
        label={t.status}
        w={130}
        data={statuses}
        value={form.values.status}
        onChange={(value) => value && form.change({ status: value })}
      />
    </LineForm>
  )
}
