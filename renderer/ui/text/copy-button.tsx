import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import { strings } from '../strings.ts'
import { copySecret, copyText } from './clipboard.ts'

type Props = {
  readonly value: string
  /** What is copied, such as `key`. */
  readonly what: string
  /** Clear the value from the clipboard after 30 seconds. */
  readonly secret?: boolean
  /** Text on the button; only an icon if absent. */
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

/** Copies a value and briefly confirms it. */
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
