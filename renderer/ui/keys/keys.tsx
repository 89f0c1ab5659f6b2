import styles from './keys.module.css'
import { formatKey } from './use-keys.ts'

/** A shortcut as a key cap. */
export function Key({ of }: { of: string }) {
  return <kbd className={styles.root}>{formatKey(of)}</kbd>
}
