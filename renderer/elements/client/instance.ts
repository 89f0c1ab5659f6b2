import { readDeviceInfo } from '../device-info.ts'
import type { Service } from '../protocol.ts'
import { Backend } from './backend.ts'
import { Core } from './core.ts'
import { coreKey, findCore } from './find-core.ts'
import { isElementType } from './options.ts'
import { hasElement } from './payload.ts'

export type Instance = ReturnType<typeof createInstance>

const backends = new Map<string, Backend>()

/** The result of `init`. Instances with the same key share a data frame, so they can use each other's elements. */
export function createInstance(apiKey: string, debug: boolean) {
  const getBackend = () => getOrCreateBackend(apiKey, debug)
  getBackend()
  const createServiceCall =
    (name: Service) =>
    (...args: readonly unknown[]) =>
      getBackend().callService(name, args)
  return {
    createElement: (type: unknown, options?: unknown) => createElement(getBackend(), type, options),
    hasElement,
    tokens: {
      create: createServiceCall('tokens.create'),
      update: createServiceCall('tokens.update'),
      retrieve: createServiceCall('tokens.retrieve'),
      encrypt: createServiceCall('tokens.encrypt'),
    },
    tokenize: createServiceCall('tokenize'),
    tokenIntents: { create: createServiceCall('tokenIntents.create') },
    proxy: {
      get: createServiceCall('proxy.get'),
      post: createServiceCall('proxy.post'),
      put: createServiceCall('proxy.put'),
      patch: createServiceCall('proxy.patch'),
      delete: createServiceCall('proxy.delete'),
    },
    sessions: { create: createServiceCall('sessions.create') },
    client: {
      get: createServiceCall('client.get'),
      post: createServiceCall('client.post'),
      put: createServiceCall('client.put'),
      patch: createServiceCall('client.patch'),
      delete: createServiceCall('client.delete'),
    },
    device: { getDeviceInfo: collectDeviceInfo },
  }
}

function getOrCreateBackend(apiKey: string, debug: boolean): Backend {
  const key = JSON.stringify([apiKey, debug])
  const existing = backends.get(key)
  if (existing && !existing.isEnded) return existing
  const backend = new Backend(apiKey, debug)
  backends.set(key, backend)
  return backend
}

function createElement(backend: Backend, type: unknown, options: unknown): object {
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
    ...(type !== 'card' && { setValueRef: (source: unknown) => core.mirrorElement(findCore(source)) }),
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

/** The result of `device.getDeviceInfo`. */
const collectDeviceInfo = (): Record<string, unknown> => ({
  ...readDeviceInfo(),
  localStorageEnabled: isStorageAvailable(() => localStorage),
  sessionStorageEnabled: isStorageAvailable(() => sessionStorage),
  innerWidth,
  innerHeight,
  plugins: [...navigator.plugins].map(({ name }) => name),
  mimeTypes: [...navigator.mimeTypes].map(({ type }) => type),
})

function isStorageAvailable(storage: () => Storage): boolean {
  try {
    return storage().length >= 0
  } catch {
    // The browser blocks this storage for the page.
    return false
  }
}
