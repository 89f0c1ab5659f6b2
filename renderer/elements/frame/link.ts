import type { DataToElement, ElementToData, Reference, Sibling, StartedElement } from '../protocol.ts'
import { ConfigurationError } from './settings.ts'

type LinkHandlers = {
  readValue(
    method: string | undefined,
    format: string | undefined,
  ): Omit<Extract<ElementToData, { kind: 'value' }>, 'kind' | 'call'>
  onFollow(): void
  onMirrorValue(value: unknown): void
}

/** An element's port to the data frame. The page never holds this port. */
export type DataFrameLink = {
  resolve(reference: Reference): Promise<unknown>
  lookUpBin(bin: string): Promise<unknown>
  mirror(source: string): void
  sendValue(value: unknown): void
}

/** Connects to the data frame in the same page. Throws ConfigurationError if there is none. */
export function joinDataFrame(
  { data, instance, id }: Pick<StartedElement, 'data' | 'instance' | 'id'>,
  handlers: LinkHandlers,
): DataFrameLink {
  const sibling = findFrame(data)
  if (!sibling)
    throw new ConfigurationError(
      'The hidden iframe of Elements is missing from the page. Reload the page, and do not remove the iframe.',
    )

  const { port1: port, port2 } = new MessageChannel()
  const pending = new Map<number, (value: unknown) => void>()
  let calls = 0

  const post = (message: ElementToData) => port.postMessage(message)
  const sendRequest = (message: (call: number) => ElementToData) =>
    new Promise<unknown>((resolve) => {
      pending.set(++calls, resolve)
      post(message(calls))
    })
  function resolveCall(call: number, value: unknown): void {
    pending.get(call)?.(value)
    pending.delete(call)
  }

  port.onmessage = ({ data: message }: MessageEvent<DataToElement>) => {
    switch (message.kind) {
      case 'read':
        return post({
          kind: 'value',
          call: message.call,
          ...handlers.readValue(message.method, message.format),
        })
      case 'resolved':
        return resolveCall(message.call, message.value)
      case 'unresolved':
        return resolveCall(message.call, undefined)
      case 'bin':
        return resolveCall(message.call, message.details)
      case 'follow':
        return handlers.onFollow()
      case 'mirrored':
        return handlers.onMirrorValue(message.value)
    }
  }
  // SECURITY: any page could own a frame with that name, so the browser delivers the message only to this
  // origin.
  sibling.postMessage({ coffer: 'sibling', instance, id } satisfies Sibling, location.origin, [port2])

  return {
    resolve: (reference) => sendRequest((call) => ({ kind: 'resolve', call, reference })),
    lookUpBin: (bin) => sendRequest((call) => ({ kind: 'bin', call, bin })),
    mirror: (source) => post({ kind: 'mirror', source }),
    sendValue: (value) => post({ kind: 'now', value }),
  }
}

function findFrame(name: string): Window | undefined {
  const frames: { readonly [name: string]: unknown } = Object(window.parent.frames)
  try {
    const frame = name === '' ? undefined : (frames[name] as Partial<Window> | undefined)
    return typeof frame?.postMessage === 'function' ? (frame as Window) : undefined
  } catch {
    // Windows of another origin expose nothing but their frames.
    return undefined
  }
}
