import type { FromElement, StartedElement } from '../protocol.ts'
import { startCopyButton } from './copy-button.ts'
import { fieldsByType } from './field-names.ts'
import { startInputs } from './inputs.ts'
import { ConfigurationError } from './settings.ts'

/**
 * Starts the element that the page's Hello describes. If its type or options are not valid, tells the page
 * so.
 */
export function startElement(started: StartedElement): void {
  const { type, port } = started
  try {
    if (type === 'copyButton') startCopyButton(started)
    else if (Object.hasOwn(fieldsByType, type)) startInputs({ ...started, type })
    else throw new ConfigurationError('This element type does not exist.')
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    port.postMessage({ kind: 'refused', error: error.toPlainError() } satisfies FromElement)
  }
}
