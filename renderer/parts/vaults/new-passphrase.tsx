import { Group, PasswordInput, Progress } from '@mantine/core'
import { countCodePoints } from '../../../shared/characters.ts'
import { estimateStrength, MIN_PASSPHRASE_LENGTH } from '../../../shared/passphrase.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import type { FormState } from '../forms/use-form.ts'
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
      {!first && !again && <p className="help">{t.help}</p>}
    </div>
  )
}

const colors = ['red', 'red', 'yellow', 'teal', 'teal'] as const

function PassphraseStrength({ typed, vault }: { typed: string; vault: string }) {
  const { value: strength } = useLoaded(
    // Without the dictionaries, the host still checks the passphrase.
    async () => (typed === '' ? null : estimateStrength(typed, [vault]).catch(() => null)),
    { about: typed },
  )
  if (!strength) return null
  const { score, problem } = strength
  return (
    <div>
      <Progress value={20 * (score + 1)} size="xs" color={colors[score]} aria-hidden mt={6} />
      <p className="help" role="status">
        {problem === undefined ? t.strength[score] : t.weak(problem)}
      </p>
    </div>
  )
}
