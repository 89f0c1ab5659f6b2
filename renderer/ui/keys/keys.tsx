import './keys.css'
import { keyLabel } from './use-keys.ts'

/** A shortcut, drawn as a key. */
export function Key({ of }: { of: string }) {
  return <kbd className="key">{keyLabel(of)}</kbd>
}
