import type { Backend } from './backend.ts'
import { Core } from './core.ts'
import { coreKey, findCore } from './find-core.ts'
import { isElementType } from './options.ts'

/** Creates the object that the page uses as an element. Throws for an unknown type. */
export function createElement(backend: Backend, type: unknown, options: unknown): object {
  if (!isElementType(type)) throw new Error('This element type does not exist.')
  const core = new Core(backend, type, options)
  // Without `this`, because frameworks wrap objects and detach methods.
  const element = {
    get mounted() {
      return core.mounted
    },
    get metadata() {
      return core.metadata
    },
    get cardMetadata() {
      return core.cardMetadata
    },
    mount: (target: unknown) => core.mount(target),
    unmount: () => core.unmount(),
    update: (newOptions: unknown) => core.update(newOptions),
    clear: () => core.runCommand('clear'),
    focus: () => core.runCommand('focus'),
    blur: () => core.runCommand('blur'),
    validate: () => core.runCommand('validate'),
    on: (event: string, listener: (event: unknown) => void) => core.listeners.add(event, listener),
    ...(type !== 'copyButton' && {
      setValue: (value: unknown, validate?: unknown) => core.setValue(value, validate),
    }),
    ...(type !== 'card' && {
      setValueRef: (source: unknown) => core.mirrorElement(findCore(source)),
    }),
  }
  if (type === 'cardExpirationDate') {
    Object.assign(element, {
      month: () => ({ element, method: 'month' }),
      year: () => ({ element, method: 'year' }),
      format: (format: string) => ({ element, method: 'format', formattingOptions: { format } }),
    })
  }
  return Object.defineProperty(element, coreKey, { value: () => core })
}
