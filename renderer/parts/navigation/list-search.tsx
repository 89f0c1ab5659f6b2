import { TextInput } from '@mantine/core'
import { useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import screenStyles from '../../ui/screen.module.css'
import { useSearchKeys } from './search-keys.ts'

export type SearchState = {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Called to move the focus to the rows. */
  readonly onExit: () => void
}

type Props = SearchState & { readonly label: string }

export function ListSearch(props: Props) {
  return (
    <search className={screenStyles.filters}>
      <SearchField {...props} />
    </search>
  )
}

/** A search box. Escape clears the text, and a second Escape leaves the box. Enter and ArrowDown move to the rows. */
export function SearchField({ label, value, onChange, onExit }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useSearchKeys(field, onChange)
  return (
    <TextInput
      ref={field}
      flex={1}
      miw={160}
      maw={280}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={14} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value !== '') onChange('')
        else if (!['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return
        else {
          // Without rows, Escape moves the focus to the screen.
          if (event.key === 'Escape') event.currentTarget.closest('main')?.focus({ preventScroll: true })
          onExit()
        }
        event.preventDefault()
      }}
    />
  )
}
