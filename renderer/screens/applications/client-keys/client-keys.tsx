import { Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createFollowedList, useFollowed } from '../../../parts/access/followed-list.ts'
import { getReadClient, useIsOwner } from '../../../parts/access/view-as.ts'
import { RequestSnippet } from '../../../parts/api/request-snippet.tsx'
import { useBaseUrl } from '../../../parts/connection/base-url.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { DialogForm } from '../../../parts/forms/form-dialog.tsx'
import { InputConfirm } from '../../../parts/forms/input-confirm.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { describeError } from '../../../parts/messages/describe-error.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { showToast } from '../../../parts/messages/toast.tsx'
import { navigate, navigateAway, useRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { confirmLeave, useOneTimeKey } from '../../../parts/navigation/unsaved.ts'
import { Copyable } from '../../../parts/resource-screen/drawer-sections.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Choice } from '../../../ui/fields/choice.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import { Loading, NotLoaded } from '../../../ui/loading.tsx'
import { Properties } from '../../../ui/properties.tsx'
import tableStyles from '../../../ui/row-table.module.css'
import { type DataColumn, DataTable } from '../../../ui/row-table.tsx'
import screenStyles from '../../../ui/screen.module.css'
import { Code } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time/time.tsx'
import styles from '../applications.module.css'
import { strings } from '../strings.ts'
import { type EncryptSnippetKind, formatEncryptSnippet } from './encrypt-snippet.ts'

const t = strings.clientKeys
const listHref = toHref('applications', null, { view: 'client-keys' })

/** The client encryption keys with their expiry. A new one is shown with its public key (rule C-01). */
export function ClientKeys() {
  const isOwner = useIsOwner()
  const { rows, loaded, problem } = useClientKeys()
  const { query } = useRoute()
  const [created, setCreated] = useState<CreatedClientKey | null>(null)
  useFollowed(clientKeyList)
  const isAsking = isOwner && query.new !== undefined
  return (
    <>
      <div className={`${screenStyles.scroll} ${tableStyles.root}`}>
        {created && (
          <OneTimeClientKeyView key={created.key_id} created={created} onDone={() => setCreated(null)} />
        )}
        {problem !== null && !loaded ? (
          <NotLoaded why={describeError(problem)} onRetry={clientKeyList.read} />
        ) : !loaded ? (
          <Loading />
        ) : rows.length === 0 ? (
          <NoClientKeys isOwner={isOwner} />
        ) : (
          <>
            {!created && <p className="help">{t.text}</p>}
            <Table isOwner={isOwner} onDeleted={(id) => created?.key_id === id && setCreated(null)} />
          </>
        )}
      </div>
      <div className={screenStyles.foot}>
        <span role="status">{loaded && t.count(rows.length)}</span>
        <span>{t.order}</span>
      </div>
      {isAsking && (
        <NewClientKey
          onClose={() => navigateAway(listHref)}
          onCreated={async (key) => {
            await loadClientKeys()
            await navigateAway(listHref)
            setCreated(key)
          }}
        />
      )}
    </>
  )
}

const columns: readonly DataColumn<ClientKey>[] = [
  {
    label: t.id,
    render: ({ key_id }) => <Copyable value={key_id} what={t.once.id} />,
  },
  { label: t.expires, render: ({ expires_at }) => <Time at={expires_at} ahead /> },
]

function Table({ isOwner, onDeleted }: { isOwner: boolean; onDeleted: (id: string) => void }) {
  const { rows } = useClientKeys()
  const [deleting, setDeleting] = useState<string | null>(null)
  const removal: DataColumn<ClientKey> = {
    label: t.deleting.action,
    is: 'action',
    className: tableStyles.action,
    render: ({ key_id }) => (
      <IconButton icon="trash" label={t.remove(key_id)} onClick={() => setDeleting(key_id)} size={24} />
    ),
  }
  return (
    <>
      <DataTable
        label={t.list}
        rows={rows}
        keyOf={({ key_id }) => key_id}
        columns={[...columns, ...(isOwner ? [removal] : [])]}
      />
      {deleting !== null && (
        <InputConfirm
          title={t.deleting.title}
          word={t.deleting.word}
          action={t.deleting.action}
          onConfirm={async () => {
            await vault.clientKeys.remove({ id: deleting })
            onDeleted(deleting)
            await loadClientKeys()
            showToast(t.deleting.done)
          }}
          onClose={() => setDeleting(null)}
        >
          <p className="mono clip">{deleting}</p>
          <p>{t.deleting.text}</p>
        </InputConfirm>
      )}
    </>
  )
}

function NoClientKeys({ isOwner }: { isOwner: boolean }) {
  return (
    <Empty
      icon="key"
      title={t.none}
      text={t.text}
      action={
        isOwner && (
          <Button onClick={() => navigate(toHref('applications', null, { view: 'client-keys', new: '1' }))}>
            {t.first}
          </Button>
        )
      }
    >
      <RequestSnippet request={{ method: 'POST', path: '/keys', key: t.keyHint, body: {} }} wrap />
    </Empty>
  )
}

type Props = { readonly onClose: () => void; readonly onCreated: (created: CreatedClientKey) => void }

/** Asks for an expiry, then creates a client encryption key. */
function NewClientKey({ onClose, onCreated }: Props) {
  const form = useForm({
    initial: { expires_at: '' },
    getUnsavedInput: (values) => values,
    send: ({ expires_at }) => vault.clientKeys.create(expires_at === '' ? {} : { expires_at }),
    onDone: onCreated,
  })
  return (
    <DialogForm
      {...{ form, onClose }}
      title={t.form.title}
      size={420}
      action={t.form.act}
      problem={<Problem of={form.problem} placedFields={['expires_at']} />}
    >
      <TextInput
        label={t.form.expires}
        description={t.form.help}
        {...form.text('expires_at')}
        data-autofocus
      />
    </DialogForm>
  )
}

type CreatedClientKey = Awaited<ReturnType<typeof vault.clientKeys.create>>

/** A new key and its public key, which is shown only once, with code for a page. */
function OneTimeClientKeyView({ created, onDone }: { created: CreatedClientKey; onDone: () => void }) {
  const [snippetKind, setSnippetKind] = useState<EncryptSnippetKind>('jose')
  const url = useBaseUrl()
  const { key_id, public_key_pem } = created
  const { isCopied, markCopied } = useOneTimeKey(public_key_pem)
  return (
    <Stack component="section" className={styles.keyOnce} aria-label={t.once.title} gap={10} maw={760}>
      <h2>{t.once.title}</h2>
      <p role="status">
        {isCopied && <Icon name="check" size={14} />}
        {isCopied ? t.once.kept : t.once.text}
      </p>
      <Properties of={{ [t.id]: <Copyable value={key_id} what={t.once.id} /> }} />
      <Code text={public_key_pem} what={t.once.what} wrap onCopied={markCopied} />
      <Choice label={t.once.way} of={t.once.ways} value={snippetKind} onChange={setSnippetKind} />
      <Code
        text={formatEncryptSnippet(snippetKind, { url, key_id, public_key_pem })}
        what={t.once.ways[snippetKind]}
        wrap
        onCopied={markCopied}
      />
      <span className="note">{t.once.help}</span>
      <div>
        <ActionButton label={t.once.done} onClick={() => confirmLeave(onDone)} />
      </div>
    </Stack>
  )
}

type ClientKey = Awaited<ReturnType<typeof vault.clientKeys.list>>[number]

/** The client encryption keys; the API returns all of them in one response. */
export const clientKeyList = createFollowedList<ClientKey>('client_key', ['keys:read'], async () => {
  const data = await getReadClient().clientKeys.list()
  return { data, pagination: { total_items: data.length, total_pages: 1 } }
})
const { useList: useClientKeys, load: loadClientKeys } = clientKeyList
