import type { ElementOptions } from './protocol.ts'

/** Options that only take effect at creation and are ignored in updates, because React passes new objects each time. */
export const creationOnly: readonly (keyof ElementOptions)[] = [
  'targetId',
  'mask',
  'validateOnChange',
  'enableCopy',
  'showSpacing',
]
