import type { Service } from '../protocol.ts'
import { Backend } from './backend.ts'
import { collectDeviceInfo } from './device.ts'
import { createElement } from './element.ts'
import { hasElement } from './payload.ts'

export type Instance = ReturnType<typeof createInstance>

const backends = new Map<string, Backend>()

/**
 * The result of `init`. Instances with the same key share a data frame, so they can use each other's
 * elements.
 */
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
