import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import { strings } from '../strings.ts'
import { copySecret, copyText } from './clipboard.ts'

type Props = {
  readonly value: string
  /** The noun in the accessible name, such as `key`. */
  readonly what: string
  /** Clears the clipboard after 30 seconds. */
  readonly secret?: boolean
  /** The button's text; without it, the button is only an icon. */
  readonly label?: string
  readonly onCopied?: () => void
}

function useCopy({ value, secret, onCopied }: Pick<Props, 'value' | 'secret' | 'onCopied'>) {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  async function copyValue() {
    await (secret ? copySecret(value) : copyText(value))
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), 1500)
    onCopied?.()
  }
  return { copied, copy: copyValue }
}

/** Copies a value, and briefly shows that it was copied. */
export function CopyButton({ what, label, ...rest }: Props) {
  const { copied, copy } = useCopy(rest)
  const icon = <Icon name={copied ? 'check' : 'copy'} size={14} />
  if (label !== undefined) {
    return (
      <Button variant="default" leftSection={icon} onClick={copy}>
        {copied ? strings.copied : label}
      </Button>
    )
  }
  return (
    <Tooltip label={copied ? strings.copied : strings.copy(what)}>
      <ActionIcon aria-label={strings.copy(what)} onClick={copy} size={22} color={copied ? 'teal' : 'gray'}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
