import { ActionIcon, Button, Group, Select, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { followChanges } from '../../parts/follow.ts'
import { fieldErrorsOf, sentenceOf } from '../../parts/sentence.ts'
import { strings } from '../../parts/strings.ts'
import { toast, toastFailure } from '../../parts/toast.tsx'
import { useTyped } from '../../parts/unsaved.ts'
import { Shown, useLoaded } from '../../parts/use-loaded.tsx'
import { vault } from '../../parts/vault.ts'
import { Chip } from '../../ui/chip.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { saveText } from '../../ui/save-text.ts'
import { ImportFile } from './import-file.tsx'
import { Section } from './section.tsx'

const t = strings.settings.banks
type Account = Awaited<ReturnType<typeof vault.banks.list>>['data'][number]
type Status = Account['status']
const statuses = Object.keys(t.statuses) as Status[]
const tones = { enabled: 'green', disabled: 'red', inconclusive: 'amber' } as const

async function readAccounts(): Promise<{ accounts: readonly Account[]; total: number }> {
  const { data, pagination } = await vault.banks.list({ size: 100 })
  return { accounts: data, total: pagination.total_items }
}

/** The accounts that bank verification knows. */
export function BanksSection() {
  const directory = useLoaded(readAccounts)
  const { load } = directory
  useEffect(() => followChanges(['bank_account'], load), [load])
  async function remove(account: Account) {
    const { routing_number, account_number } = account
    try {
      await vault.banks.remove({ routing_number, account_number })
      await load()
      toast(t.removed, { undo: () => vault.banks.put(account).then(load) })
    } catch (error) {
      toastFailure(error)
    }
  }
  async function save() {
    saveText(t.file, (await vault.banks.exportCsv()).csv)
  }
  const { total = 0, accounts = [] } = directory.value ?? {}
  const more = total > accounts.length ? total : 0
  return (
    <Section title={strings.settings.sections.banks} text={t.text}>
      <AddAccount onAdded={load} />
      <Shown of={directory}>
        {({ accounts, total }) => (
          <>
            {total === 0 && <span className="faint">{t.none}</span>}
            {total > 0 && (
              <table className="settings-table">
                <thead>
                  <tr>
                    <th scope="col">{t.routing}</th>
                    <th scope="col">{t.account}</th>
                    <th scope="col">{t.status}</th>
                    <th aria-label={t.remove('')} />
                  </tr>
                </thead>
                <tbody>
                  {accounts.map((account) => (
                    <tr key={`${account.routing_number} ${account.account_number}`}>
                      <td className="mono">{account.routing_number}</td>
                      <td className="mono">{account.account_number}</td>
                      <td>
                        <Chip tone={tones[account.status]}>{account.status}</Chip>
                      </td>
                      <td>
                        <ActionIcon
                          aria-label={t.remove(account.account_number)}
                          onClick={() => remove(account)}
                        >
                          <Icon name="close" size={14} />
                        </ActionIcon>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </Shown>
      <Group gap="xs">
        <ImportFile
          label={t.import}
          onImport={(csv, dry_run) => vault.banks.importCsv({ csv, dry_run })}
          onDone={load}
        />
        <Button
          variant="default"
          disabled={!directory.value?.total}
          onClick={() => save().catch(toastFailure)}
        >
          {t.export}
        </Button>
        <span className="faint">{more ? t.count(more.toLocaleString('en')) : t.format}</span>
      </Group>
    </Section>
  )
}

function AddAccount({ onAdded }: { onAdded: () => Promise<void> }) {
  const [routing_number, setRouting] = useState('')
  const [account_number, setAccount] = useState('')
  const [status, setStatus] = useState<Status>('enabled')
  const [problem, setProblem] = useState<unknown>(null)
  const errors = fieldErrorsOf(problem)
  useTyped(account_number)
  async function add() {
    setProblem(null)
    try {
      await vault.banks.put({ routing_number, account_number, status })
      setAccount('')
      await onAdded()
    } catch (error) {
      setProblem(error)
    }
  }
  const unnamed = problem !== null && Object.keys(errors).length === 0
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <Group align="start" gap="xs">
        <TextInput
          label={t.routing}
          classNames={{ input: 'mono' }}
          w={140}
          maxLength={9}
          value={routing_number}
          onChange={(event) => setRouting(event.currentTarget.value)}
          error={errors.routing_number}
        />
        <TextInput
          label={t.account}
          classNames={{ input: 'mono' }}
          w={180}
          maxLength={17}
          value={account_number}
          onChange={(event) => setAccount(event.currentTarget.value)}
          error={errors.account_number}
        />
        <Select
          label={t.status}
          w={130}
          data={statuses}
          value={status}
          onChange={(value) => value && setStatus(value)}
        />
        <Button type="submit" variant="default" className="settings-add">
          {t.add}
        </Button>
      </Group>
      {unnamed && <Failure>{sentenceOf(problem)}</Failure>}
    </form>
  )
}
