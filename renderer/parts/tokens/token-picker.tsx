import { Select } from '@mantine/core'
import { useState } from 'react'
import { useLoaded } from '../connection/use-loaded.tsx'
import { vault } from '../connection/vault.ts'
import { strings } from './strings.ts'

type Picked = { readonly id: string; readonly type: string }

/** Chooses a recent token, or any other by its id. */
export function TokenPicker({ label, onPick }: { label: string; onPick: (token: Picked) => void }) {
  const [search, setSearch] = useState('')
  const [picked, setPicked] = useState<string | null>(null)
  const { value } = useLoaded(() => vault.tokens.list({ size: 50 }))
  const recent = (value?.data ?? []).map(({ id, type }) => ({ id, type: String(type) }))
  const input = search.trim()
  const isOther = /^[\w-]{20,}$/.test(input) && !recent.some(({ id }) => id === input)
  const offered = isOther ? [{ id: input, type: 'card' }, ...recent] : recent
  return (
    <Select
      label={label}
      searchable
      placeholder={strings.find}
      nothingFoundMessage={strings.find}
      data={offered.map(({ id, type }) => ({ value: id, label: `${type} ${id}` }))}
      value={picked}
      onSearchChange={setSearch}
      onChange={(id) => {
        setPicked(id)
        const token = offered.find((each) => each.id === id)
        if (token) onPick(token)
      }}
    />
  )
}
