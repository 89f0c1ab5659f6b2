import { Group, PasswordInput } from '@mantine/core'
import { countCodePoints } from '../../../shared/characters.ts'
import { MIN_PASSPHRASE_LENGTH } from '../../../shared/passphrase.ts'
import formStyles from '../../ui/form.module.css'
import type { FormState } from '../forms/use-form.ts'
import { PassphraseStrength } from './passphrase-strength.tsx'
import { strings } from './strings.ts'

const t = strings.passphrase

export type PassphraseInput = { readonly first: string; readonly again: string }

export const emptyPassphrase: PassphraseInput = { first: '', again: '' }

/** Validates a new passphrase. Returns messages by field. */
export function validatePassphrase({ first, again }: PassphraseInput): Readonly<Record<string, string>> {
  if (countCodePoints(first) < MIN_PASSPHRASE_LENGTH) return { first: t.short }
  return first === again ? {} : { again: t.differs }
}

type Props = {
  readonly form: Pick<FormState<PassphraseInput>, 'errors' | 'text'>
  /** The vault's name, which the strength check treats as easy to guess. */
  readonly vault: string
  readonly labels?: { readonly first: string; readonly again: string }
}

export function NewPassphrase({ form, vault, labels = t }: Props) {
  const { first, again } = form.errors
  const firstField = form.text('first')
  return (
    <div>
      <Group grow align="flex-start">
        <div>
          <PasswordInput label={labels.first} {...firstField} autoComplete="new-password" />
          <PassphraseStrength typed={firstField.value} vault={vault} />
        </div>
        <PasswordInput label={labels.again} {...form.text('again')} autoComplete="new-password" />
      </Group>
      {!first && !again && <p className={formStyles.help}>{t.help}</p>}
    </div>
  )
}
