import { useState } from 'react'
import { navigate } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { Empty } from '../../ui/empty.tsx'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import styles from './documents.module.css'
import { strings } from './strings.ts'

const t = strings.byId

/** Replaces the list while viewing as an application, whose key cannot list documents. */
export function OpenById({ name }: { name: string }) {
  const [id, setId] = useState('')
  const trimmedId = id.trim()
  return (
    <Empty
      icon="document"
      title={t.title}
      text={t.text(name)}
      action={
        <form
          className={styles.byId}
          onSubmit={(event) => {
            event.preventDefault()
            if (trimmedId !== '') navigate(toHref('documents', trimmedId))
          }}
        >
          <MonoInput
            aria-label={t.id}
            placeholder={t.id}
            value={id}
            onChange={(event) => setId(event.currentTarget.value)}
          />
          <ActionButton variant="filled" label={t.open} type="submit" disabled={trimmedId === ''} />
        </form>
      }
    />
  )
}
