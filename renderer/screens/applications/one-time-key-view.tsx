import { useEffect, useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { strings } from './strings.ts'

const t = strings.key

type Props = {
  readonly appKey: string
  /** Whether it was copied. */
  readonly isCopied: boolean
  readonly onCopied: () => void
}

/** A key that is shown only once, and whether it has been copied. */
export function OneTimeKeyView({ appKey, isCopied, onCopied }: Props) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
    // The form that made it is gone, and the focus with it.
    box.current?.querySelector('button')?.focus({ preventScroll: true })
  }, [])
  return (
    <div
      ref={box}
      className="key-once"
      onCopy={() => {
        // Selecting the whole key and copying it by hand counts too.
        if (document.getSelection()?.toString().includes(appKey)) onCopied()
      }}
    >
      <p role="status">
        {isCopied && <Icon name="check" size={14} />}
        {isCopied ? t.kept : t.once}
      </p>
      <div className="key-once-line">
        <code className="mono">{appKey}</code>
        <CopyButton value={appKey} what={t.what} label={ui.copy(t.what)} secret onCopied={onCopied} />
      </div>
    </div>
  )
}
