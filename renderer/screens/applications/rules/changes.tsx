import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { MarkedText } from '../../../ui/text/marked-text.tsx'
import styles from './rules.module.css'
import { strings } from './strings.ts'

const t = strings.changes

type Props = {
  readonly changes: readonly string[]
  /** Null if there is nothing to undo. */
  readonly onUndo: (() => void) | null
}

/** Says what saving would change, beside the button that saves, and undoes the last change. */
export function Changes({ changes, onUndo }: Props) {
  return (
    <>
      <ActionButton icon="undo" label={t.undo} disabled={onUndo === null} onClick={() => onUndo?.()} />
      {changes.length > 0 && (
        <ul className={styles.changes} aria-label={t.title}>
          <li className="faint">{t.count(changes.length)}</li>
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rules can change in the same way
            <li key={index}>
              <MarkedText text={change} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
