import { Group, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { lengthOf } from '../../../shared/characters.ts'
import { shortestPassphrase } from '../../../shared/passphrase.ts'
import { strings } from './strings.ts'

const t = strings.passphrase

/** A new passphrase as it is typed; `value` is null until both fields hold the same, long enough. */
export function useNewPassphrase() {
  const [first, setFirst] = useState('')
  const [again, setAgain] = useState('')
  const [tried, setTried] = useState(false)
  const short = lengthOf(first) < shortestPassphrase
  return {
    first,
    again,
    setFirst,
    setAgain,
    /** From now on says what is wrong. */
    insist: () => setTried(true),
    errors: {
      first: tried && short ? t.short : undefined,
      again: tried && !short && first !== again ? t.differs : undefined,
    },
    value: short || first !== again ? null : first,
  }
}

type Props = {
  readonly passphrase: ReturnType<typeof useNewPassphrase>
  readonly labels?: { readonly first: string; readonly again: string }
}

/** The two fields of a new passphrase. */
export function NewPassphrase({ passphrase, labels = t }: Props) {
  const { first, again, setFirst, setAgain, errors } = passphrase
  return (
    <div>
      <Group grow align="flex-start">
        <PasswordInput
          label={labels.first}
          value={first}
          onChange={(event) => setFirst(event.currentTarget.value)}
          error={errors.first}
          autoComplete="new-password"
        />
        <PasswordInput
          label={labels.again}
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
          error={errors.again}
          autoComplete="new-password"
        />
      </Group>
      {!errors.first && !errors.again && <p className="field-help">{t.help}</p>}
    </div>
  )
}
