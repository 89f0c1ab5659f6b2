import './keys.css'
import { keyLabel } from './use-keys.ts'

/** A shortcut as a key cap. */
export function Key({ of }: { of: string }) {
  return <kbd className="key">{keyLabel(of)}</kbd>
}
