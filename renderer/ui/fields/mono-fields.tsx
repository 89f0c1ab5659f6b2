import { Textarea, TextInput } from '@mantine/core'
import type { ComponentProps } from 'react'

const mono = { classNames: { input: 'mono' }, spellCheck: false, autoComplete: 'off' } as const

/** A text field for what programs read, such as a URL, an expression or an id. */
export function MonoInput(props: ComponentProps<typeof TextInput>) {
  return <TextInput {...mono} {...props} />
}

/** A text field of several lines for what programs read, as high as its text. */
export function MonoArea(props: ComponentProps<typeof Textarea>) {
  return <Textarea {...mono} autosize minRows={4} maxRows={14} {...props} />
}
