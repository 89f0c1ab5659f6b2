import type { DataToElement, ElementToData, Reference, Sibling, StartedElement } from '../protocol.ts'

type Handlers = {
  read(
    method: string | undefined,
    format: string | undefined,
  ): Omit<Extract<ElementToData, { kind: 'value' }>, 'kind' | 'call'>
  follow(): void
  mirrored(value: unknown): void
}

/** The element's side of its port to the data frame, which the page never holds. */
export type Link = {
  /** The value that a reference stands for, or undefined. */
  resolve(reference: Reference): Promise<unknown>
  bin(bin: string): Promise<unknown>
  mirror(source: string): void
  now(value: unknown): void
}

/** Joins the data frame of the same page; undefined if it is not there. */
export function joinDataFrame(
  { data, instance, id }: Pick<StartedElement, 'data' | 'instance' | 'id'>,
  handlers: Handlers,
): Link | undefined {
  const sibling = frameNamed(data)
  if (!sibling) return undefined

  const { port1: port, port2 } = new MessageChannel()
  const waiting = new Map<number, (value: unknown) => void>()
  let calls = 0

  const tell = (message: ElementToData) => port.postMessage(message)
  const ask = (message: (call: number) => ElementToData) =>
    new Promise<unknown>((answer) => {
      waiting.set(++calls, answer)
      tell(message(calls))
    })
  function answered(call: number, value: unknown): void {
    waiting.get(call)?.(value)
    waiting.delete(call)
  }

  port.onmessage = ({ data: message }: MessageEvent<DataToElement>) => {
    switch (message.kind) {
      case 'read':
        return tell({ kind: 'value', call: message.call, ...handlers.read(message.method, message.format) })
      case 'resolved':
        return answered(message.call, message.value)
      case 'unresolved':
        return answered(message.call, undefined)
      case 'bin':
        return answered(message.call, message.details)
      case 'follow':
        return handlers.follow()
      case 'mirrored':
        return handlers.mirrored(message.value)
    }
  }
  // SECURITY: the frame of that name may be anyone's; the browser delivers to this origin alone.
  sibling.postMessage({ coffer: 'sibling', instance, id } satisfies Sibling, location.origin, [port2])

  return {
    resolve: (reference) => ask((call) => ({ kind: 'resolve', call, reference })),
    bin: (bin) => ask((call) => ({ kind: 'bin', call, bin })),
    mirror: (source) => tell({ kind: 'mirror', source }),
    now: (value) => tell({ kind: 'now', value }),
  }
}

function frameNamed(name: string): Window | undefined {
  const frames: { readonly [name: string]: unknown } = Object(window.parent.frames)
  try {
    const found = name === '' ? undefined : (frames[name] as Partial<Window> | undefined)
    return typeof found?.postMessage === 'function' ? (found as Window) : undefined
  } catch {
    // Of a page of another origin, nothing can be read but frames.
    return undefined
  }
}
