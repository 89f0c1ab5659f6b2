import { TextInput, type TextInputProps } from '@mantine/core'
import { splitCodePoints } from '../../../shared/characters.ts'

const MAX_NAME_LENGTH = 200

type Props = Omit<TextInputProps, 'onChange'> & {
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/** A text field for the name of a resource, cut at the length that the vault accepts. */
export function NameInput({ onChange, ...input }: Props) {
  return (
    <TextInput
      {...input}
      onChange={({ currentTarget }) =>
        onChange({ currentTarget: { value: splitCodePoints(currentTarget.value, MAX_NAME_LENGTH)[0] } })
      }
    />
  )
}
