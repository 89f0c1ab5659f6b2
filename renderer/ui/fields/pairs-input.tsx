import { ActionIcon, PasswordInput, TextInput } from '@mantine/core'
import { type ChangeEvent, Fragment, useState } from 'react'
import formStyles from '../form.module.css'
import { Icon } from '../icon.tsx'
import { ActionButton } from '../icon-buttons.tsx'
import { MarkedText, markText } from '../text/marked-text.tsx'
import { focusNext } from './focus-next.ts'

export type KeyValuePair = { readonly at: number; readonly key: string; readonly value: string }

export function toPairs(map: Readonly<Record<string, string>>): KeyValuePair[] {
  return Object.entries(map).map(([key, value], at) => ({ at, key, value }))
}

/** Converts pairs to a map, without pairs whose key is empty. */
export function toMap(pairs: readonly KeyValuePair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(({ key }) => key !== '').map(({ key, value }) => [key, value]))
}

type Props = {
  readonly label: string
  readonly pairs: readonly KeyValuePair[]
  readonly onChange: (pairs: readonly KeyValuePair[]) => void
  readonly labels: {
    readonly key: string
    readonly value: string
    readonly add: string
    readonly remove: string
  }
  readonly error?: string | undefined
  readonly help?: string
  /** Labels the button that shows a value. If set, values are hidden until it is clicked. */
  readonly reveal?: (key: string) => string
}

export function PairsInput({ label, pairs, onChange, labels, error, help, reveal }: Props) {
  const changePair = (at: number, part: Partial<KeyValuePair>) =>
    onChange(pairs.map((pair) => (pair.at === at ? { ...pair, ...part } : pair)))
  const getValueProps = (at: number, value: string) => ({
    'aria-label': labels.value,
    placeholder: labels.value,
    value,
    onChange: (event: ChangeEvent<HTMLInputElement>) => changePair(at, { value: event.currentTarget.value }),
  })
  const [added, setAdded] = useState<number | null>(null)
  const next = pairs.reduce((highest, { at }) => Math.max(highest, at), -1) + 1
  return (
    <fieldset data-list className={formStyles.pairs}>
      <legend>{label}</legend>
      {pairs.map(({ at, key, value }) => (
        <Fragment key={at}>
          <div className={formStyles.pair}>
            <TextInput
              aria-label={labels.key}
              placeholder={labels.key}
              value={key}
              autoFocus={at === added}
              onChange={(event) => changePair(at, { key: event.currentTarget.value })}
            />
            {reveal ? (
              <PasswordInput
                {...getValueProps(at, value)}
                autoComplete="off"
                visibilityToggleButtonProps={{ 'aria-label': reveal(key || labels.value) }}
              />
            ) : (
              <TextInput {...getValueProps(at, value)} />
            )}
            <ActionIcon
              data-list-button
              aria-label={labels.remove}
              onClick={(event) => {
                focusNext(event.currentTarget)
                onChange(pairs.filter((pair) => pair.at !== at))
              }}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </div>
          {/* An input obeys characters that change the direction of text, and cannot mark them. */}
          {markText(key) !== key && (
            <p className="help">
              <MarkedText text={key} />
            </p>
          )}
        </Fragment>
      ))}
      {error !== undefined && <p className="error">{error}</p>}
      {help !== undefined && <p className="help">{help}</p>}
      <ActionButton
        label={labels.add}
        data-list-button
        size="compact-xs"
        icon="plus"
        onClick={() => {
          setAdded(next)
          onChange([...pairs, { at: next, key: '', value: '' }])
        }}
      />
    </fieldset>
  )
}
