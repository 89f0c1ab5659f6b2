import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Confirm } from '../../parts/forms/confirm.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { Chip } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import { DataTable } from '../../ui/row-table.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { LineForm, Section } from './fields.tsx'
import { strings } from './strings.ts'

const t = strings.members
type Invitation = Awaited<ReturnType<typeof vault.invitations.list>>['data'][number]
type Members = {
  readonly user_id: string
  readonly contact: string
  readonly invitations: readonly Invitation[]
  readonly total: number
}

async function readMembers(): Promise<Members> {
  const [owner, contact, { data, pagination }] = await Promise.all([
    vault.members.getOwner(),
    vault.tenants.getSecurityContact(),
    vault.invitations.list({ size: 100 }),
  ])
  return {
    user_id: owner.user.id,
    contact: contact.email ?? '',
    invitations: data,
    total: pagination.total_items,
  }
}

/** People of the tenant that programs can list: owner, security contact and invitations. */
export function MembersSection() {
  const members = useLoaded(readMembers, { follows: ['tenant', 'invitation'] })
  return (
    <Section name="members" text={t.text}>
      <LoadedView of={members}>
        {({ user_id, contact, invitations, total }) => (
          <>
            <p>
              {t.owner} <span className="mono">{user_id}</span>
            </p>
            <Contact saved={contact} onSaved={members.load} />
            <h3>{t.invitations}</h3>
            <Invitations of={invitations} />
            {total > invitations.length && (
              <span className="faint">{t.newest(invitations.length, total.toLocaleString('en'))}</span>
            )}
          </>
        )}
      </LoadedView>
    </Section>
  )
}

type ContactProps = { readonly saved: string; readonly onSaved: () => Promise<void> }

function Contact({ saved, onSaved }: ContactProps) {
  const form = useForm({
    initial: (): { email?: string } => ({}),
    getUnsavedInput: ({ email = saved }) => (email === saved ? null : email),
    send: ({ email = saved }) => vault.tenants.setSecurityContact({ email }),
    async onDone() {
      await onSaved()
      form.reset({})
      showToast(t.saved)
    },
  })
  return (
    <LineForm form={form} action={strings.save} disabled={!form.isDirty} placed={['email']}>
      <TextInput
        label={t.contact}
        w={320}
        maxLength={320}
        value={form.values.email ?? saved}
        error={form.errors.email}
        onChange={(event) => form.change({ email: event.currentTarget.value })}
      />
    </LineForm>
  )
}

function Invitations({ of }: { readonly of: readonly Invitation[] }) {
  const [removing, setRemoving] = useState<Invitation | null>(null)
  return (
    <>
      <DataTable
        none={t.none}
        rows={of}
        keyOf={({ id }) => id}
        columns={[
          { label: t.email, render: ({ email }) => <MarkedText text={email} /> },
          { label: t.role, render: ({ role }) => role },
          {
            label: t.status,
            render: ({ status }) => <Chip tone={status === 'PENDING' ? 'amber' : 'plain'}>{status}</Chip>,
          },
          { label: t.expires, render: ({ expires_at }) => <Time at={expires_at} ahead /> },
          {
            label: t.remove(''),
            is: 'action',
            render: (each) => (
              <IconButton icon="trash" label={t.remove(each.email)} onClick={() => setRemoving(each)} />
            ),
          },
        ]}
      />
      {removing && (
        <Confirm
          title={t.removeTitle}
          action={t.removeConfirm}
          onConfirm={() => vault.invitations.remove({ id: removing.id })}
          onClose={() => setRemoving(null)}
        >
          <p>
            <MarkedText text={removing.email} />
          </p>
          <p>{t.removeText}</p>
        </Confirm>
      )}
    </>
  )
}
