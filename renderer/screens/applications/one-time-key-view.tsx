import { Group } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import styles from './applications.module.css'
import { strings } from './strings.ts'

const t = strings.key

type Props = {
  readonly appKey: string
  readonly isCopied: boolean
  readonly onCopied: () => void
}

/** A key that is shown only once, with a button to copy it. */
export function OneTimeKeyView({ appKey, isCopied, onCopied }: Props) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
    // The form that created the key was removed and had the focus, so move the focus to the button.
    box.current?.querySelector('button')?.focus({ preventScroll: true })
  }, [])
  return (
    <div
      ref={box}
      className={styles.keyOnce}
      onCopy={() => {
        // Selecting the complete key counts as copying it.
        if (document.getSelection()?.toString().includes(appKey)) onCopied()
      }}
    >
      <p role="status">
        {isCopied && <Icon name="check" size={14} />}
        {isCopied ? t.kept : t.once}
      </p>
      <Group justify="space-between" gap={8}>
        <code className="mono">{appKey}</code>
        <CopyButton value={appKey} what={t.what} label={ui.copy(t.what)} secret onCopied={onCopied} />
      </Group>
    </div>
  )
}
