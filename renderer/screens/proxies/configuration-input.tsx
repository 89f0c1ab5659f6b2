import { ActionIcon, Button, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { focusNext } from '../../ui/fields/focus-next.ts'
import type { Pair } from '../../ui/fields/pairs-input.tsx'
import { Icon } from '../../ui/icon.tsx'
import { strings } from './strings.ts'

const t = strings.form

type Props = {
  readonly pairs: readonly Pair[]
  readonly onChange: (pairs: readonly Pair[]) => void
  readonly error: string | undefined
}

/** Edits the configuration of a proxy, with its values hidden until they are revealed. */
export function ConfigurationInput({ pairs, onChange, error }: Props) {
  const change = (at: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.at === at ? { ...pair, ...part } : pair)))
  const [added, setAdded] = useState<number | null>(null)
  const next = pairs.reduce((most, { at }) => Math.max(most, at), -1) + 1
  return (
    <fieldset data-list className="pairs">
      <legend>{t.configuration}</legend>
      {pairs.map(({ at, key, value }) => (
        <div key={at} className="pair">
          <TextInput
            aria-label={t.entry.key}
            placeholder={t.entry.key}
            value={key}
            autoFocus={at === added}
            onChange={(event) => change(at, { key: event.currentTarget.value })}
          />
          <PasswordInput
            aria-label={t.entry.value}
            placeholder={t.entry.value}
            autoComplete="off"
            value={value}
            visibilityToggleButtonProps={{ 'aria-label': strings.drawer.reveal(key || t.entry.value) }}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
          />
          <ActionIcon
            data-list-button
            aria-label={t.entry.remove}
            onClick={(event) => {
              focusNext(event.currentTarget)
              onChange(pairs.filter((pair) => pair.at !== at))
            }}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </div>
      ))}
      {error !== undefined && <p className="pairs-error">{error}</p>}
      <p className="field-help">{t.configurationHelp}</p>
      <Button
        data-list-button
        variant="default"
        size="compact-xs"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() => {
          setAdded(next)
          onChange([...pairs, { at: next, key: '', value: '' }])
        }}
      >
        {t.entry.add}
      </Button>
    </fieldset>
  )
}
