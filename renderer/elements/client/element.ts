import type { Backend } from './backend.ts'
import { Core } from './core.ts'
import { isElementType } from './options.ts'
import { coreKey, coreOf } from './own.ts'

/** An element as the page holds it. Throws for an unknown type. */
export function createElement(backend: Backend, type: unknown, options: unknown): object {
  if (!isElementType(type)) throw new Error('There is no element of this type.')
  const core = new Core(backend, type, options)
  // No `this`, because frameworks wrap what they are given.
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
    update: (given: unknown) => core.update(given),
    clear: () => core.command('clear'),
    focus: () => core.command('focus'),
    blur: () => core.command('blur'),
    validate: () => core.command('validate'),
    on: (event: string, listener: (event: unknown) => void) => core.listeners.add(event, listener),
    ...(type !== 'copyButton' && {
      setValue: (value: unknown, validate?: unknown) => core.setValue(value, validate),
    }),
    ...(type !== 'card' && {
      setValueRef: (source: unknown) => core.mirror(coreOf(source)),
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
