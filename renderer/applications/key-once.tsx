import { strings } from '../strings.ts'
import { CopyButton } from '../ui/copy-button.tsx'

const t = strings.applications.key

/** A key, shown this once. */
export function KeyOnce({ appKey }: { appKey: string }) {
  return (
    <div className="key-once">
      <p>{t.once}</p>
      <div className="key-once-line">
        <code className="mono">{appKey}</code>
        <CopyButton value={appKey} what={t.what} label={strings.ui.copy(t.what)} secret />
      </div>
    </div>
  )
}
