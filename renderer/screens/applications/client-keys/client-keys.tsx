import { Button } from '@mantine/core'
import { useState } from 'react'
import { useFollowed } from '../../../parts/access/followed-list.ts'
import { useIsOwner } from '../../../parts/access/view-as.ts'
import { RequestSnippet } from '../../../parts/api/request-snippet.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { InputConfirm } from '../../../parts/forms/input-confirm.tsx'
import { describeError } from '../../../parts/messages/describe-error.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { navigate, navigateAway, useRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { Empty } from '../../../ui/empty.tsx'
import { IconButton } from '../../../ui/icon-buttons.tsx'
import { Loading, NotLoaded } from '../../../ui/loading.tsx'
import screenStyles from '../../../ui/screen.module.css'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { Time } from '../../../ui/time/time.tsx'
import styles from '../applications.module.css'
import { strings } from '../strings.ts'
import { clientKeyList, loadClientKeys, useClientKeys } from './client-keys-store.ts'
import { NewClientKey } from './new-client-key.tsx'
import { type CreatedClientKey, OneTimeClientKeyView } from './one-time-client-key-view.tsx'

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
      <div className={styles.clientKeys}>
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
            {!created && <p>{t.text}</p>}
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

function Table({ isOwner, onDeleted }: { isOwner: boolean; onDeleted: (id: string) => void }) {
  const { rows } = useClientKeys()
  const [deleting, setDeleting] = useState<string | null>(null)
  return (
    <>
      <table className={styles.clientKeyTable} aria-label={t.list}>
        <thead>
          <tr>
            <th scope="col">{t.id}</th>
            <th scope="col">{t.expires}</th>
            {isOwner && (
              <th scope="col">
                <span className="visually-hidden">{t.deleting.action}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key_id, expires_at }) => (
            <tr key={key_id}>
              <td>
                <span className="mono">{key_id}</span> <CopyButton value={key_id} what={t.once.id} />
              </td>
              <td>
                <Time at={expires_at} ahead />
              </td>
              {isOwner && (
                <td>
                  <IconButton
                    icon="trash"
                    label={t.remove(key_id)}
                    onClick={() => setDeleting(key_id)}
                    size={24}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
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
