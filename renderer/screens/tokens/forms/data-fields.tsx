import { Textarea, TextInput } from '@mantine/core'
import type { TokenType } from '../../../../shared/token-types.ts'
import formStyles from '../../../ui/form.module.css'
import { strings } from '../strings.ts'

const t = strings.form

const ofNetworkToken = [
  // Leaves room for the spaces between digit groups.
  ['number', t.number, 23],
  ['expiration_month', t.month, 2],
  ['expiration_year', t.year, 4],
] as const
const members = {
  card: [...ofNetworkToken, ['cvc', t.cvc, 4]],
  network_token: ofNetworkToken,
  bank: [
    ['routing_number', t.routing, 12],
    ['account_number', t.account, 24],
  ],
} as const

type Props = {
  readonly type: TokenType
  readonly data: Readonly<Record<string, string>>
  readonly onChange: (data: Readonly<Record<string, string>>) => void
  /** Errors by path, such as `data.number`. */
  readonly errors: Readonly<Record<string, string>>
}

export function DataFields({ type, data, onChange, errors }: Props) {
  const getFieldProps = (name: string) => ({
    value: data[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...data, [name]: event.currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
    classNames: { input: 'mono' },
  })
  if (type === 'card' || type === 'network_token' || type === 'bank') {
    return (
      <div className={formStyles.row}>
        {members[type].map(([name, label, length], index) => (
          <TextInput
            key={name}
            label={label}
            maxLength={length}
            inputMode="numeric"
            error={errors[`data.${name}`]}
            className={length > 12 ? formStyles.wide : undefined}
            data-first={index === 0 || undefined}
            {...getFieldProps(name)}
          />
        ))}
      </div>
    )
  }
  if (type === 'token') {
    return (
      <Textarea
        label={t.value}
        description={t.json}
        autosize
        minRows={3}
        maxRows={12}
        error={errors.data}
        data-first
        {...getFieldProps('value')}
      />
    )
  }
  return <TextInput label={t.value} error={errors.data} data-first {...getFieldProps('value')} />
}
