import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { Empty } from '../../ui/empty.tsx'
import { strings } from './strings.ts'

const t = strings.byId

/** In place of the list while looking as an application, whose key cannot list documents. */
export function ById({ name }: { name: string }) {
  const [id, setId] = useState('')
  const wanted = id.trim()
  return (
    <Empty
      icon="document"
      title={t.title}
      text={t.text(name)}
      action={
        <form
          className="document-by-id"
          onSubmit={(event) => {
            event.preventDefault()
            if (wanted !== '') go(hrefOf('documents', wanted))
          }}
        >
          <TextInput
            aria-label={t.id}
            placeholder={t.id}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            value={id}
            onChange={(event) => setId(event.currentTarget.value)}
          />
          <Button type="submit" disabled={wanted === ''}>
            {t.open}
          </Button>
        </form>
      }
    />
  )
}
