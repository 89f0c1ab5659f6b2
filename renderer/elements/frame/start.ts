import type { FromElement, StartedElement } from '../protocol.ts'
import { startCopyButton } from './copy-button.ts'
import { fieldsByType } from './field-names.ts'
import { startInputs } from './inputs.ts'
import { ConfigurationError, catchConfigurationError } from './settings.ts'

/** Starts the element that the page's Hello describes. If its type or options are not valid, tells the page so. */
export function startElement(started: StartedElement): void {
  const { type, port } = started
  const error = catchConfigurationError(() => {
    if (type === 'copyButton') startCopyButton(started)
    else if (Object.hasOwn(fieldsByType, type)) startInputs({ ...started, type })
    else throw new ConfigurationError('This element type does not exist.')
  })
  if (error) port.postMessage({ kind: 'refused', error } satisfies FromElement)
}
