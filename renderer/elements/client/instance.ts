import type { Service } from '../protocol.ts'
import { Backend } from './backend.ts'
import { deviceInfo } from './device.ts'
import { createElement } from './element.ts'
import { hasElement } from './payload.ts'

export type Instance = ReturnType<typeof newInstance>

const backends = new Map<string, Backend>()

/** What `init` gives. Calls with the same key share a data frame, and so may use each other's elements. */
export function newInstance(apiKey: string, debug: boolean) {
  const of = () => backendOf(apiKey, debug)
  of()
  const service =
    (name: Service) =>
    (...args: readonly unknown[]) =>
      of().call(name, args)
  return {
    createElement: (type: unknown, options?: unknown) => createElement(of(), type, options),
    hasElement,
    tokens: {
      create: service('tokens.create'),
      update: service('tokens.update'),
      retrieve: service('tokens.retrieve'),
      encrypt: service('tokens.encrypt'),
    },
    tokenize: service('tokenize'),
    tokenIntents: { create: service('tokenIntents.create') },
    proxy: {
      get: service('proxy.get'),
      post: service('proxy.post'),
      put: service('proxy.put'),
      patch: service('proxy.patch'),
      delete: service('proxy.delete'),
    },
    sessions: { create: service('sessions.create') },
    client: {
      get: service('client.get'),
      post: service('client.post'),
      put: service('client.put'),
      patch: service('client.patch'),
      delete: service('client.delete'),
    },
    device: { getDeviceInfo: deviceInfo },
  }
}

function backendOf(apiKey: string, debug: boolean): Backend {
  const key = JSON.stringify([apiKey, debug])
  const existing = backends.get(key)
  if (existing && !existing.isGone) return existing
  const backend = new Backend(apiKey, debug)
  backends.set(key, backend)
  return backend
}
