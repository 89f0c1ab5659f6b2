import type { Modules } from './modules.ts'

type Watched = { readonly object: object; readonly prototype: object | null; readonly owns: readonly Own[] }
type Own = readonly [key: PropertyKey, PropertyDescriptor]

// Taken before any code runs that could replace them.
const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { is } = Object

/**
 * Notes what every run of a process shares: the globals with their prototypes, and the modules of Node that code may
 * require. Returns a function that says whether all of it is as it was.
 */
export function watchRealm(modules: Modules): () => boolean {
  const watched = sharedObjects(modules).map(
    (object): Watched => ({
      object,
      prototype: getPrototypeOf(object),
      owns: ownKeys(object).map((key): Own => [key, getOwnPropertyDescriptor(object, key) ?? {}]),
    }),
  )
  const listeners = listenersOf(process)
  return () => {
    if (listenersOf(process) !== listeners) return false
    for (const { object, prototype, owns } of watched) {
      if (getPrototypeOf(object) !== prototype || ownKeys(object).length !== owns.length) return false
      for (const [key, before] of owns) {
        const now = getOwnPropertyDescriptor(object, key)
        if (!now || !is(now.value, before.value) || now.get !== before.get || now.set !== before.set)
          return false
      }
    }
    return true
  }
}

/** How many wait for what of the process, as a text. */
function listenersOf(emitter: NodeJS.EventEmitter): string {
  return emitter
    .eventNames()
    .map((name) => `${String(name)} ${emitter.listenerCount(name)}`)
    .join()
}

function sharedObjects(modules: Modules): object[] {
  const found = new Set<object>()
  const add = (value: unknown, depth: number) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || found.has(value))
      return
    found.add(value)
    if (depth === 0) return
    for (const key of ownKeys(value)) add(getOwnPropertyDescriptor(value, key)?.value, depth - 1)
  }
  add(globalThis, 2)
  for (const each of Object.values(modules)) add(each, 2)
  // What no global names.
  const hidden = [
    function* () {},
    async () => {},
    async function* () {},
    [][Symbol.iterator](),
    new Map().keys(),
  ]
  for (const each of hidden) {
    for (let at: object | null = each; at; at = getPrototypeOf(at)) add(at, 1)
  }
  // What many of them inherit from.
  for (const each of [...found]) {
    for (let at = getPrototypeOf(each); at; at = getPrototypeOf(at)) add(at, 1)
  }
  // What changes with use: the console's own streams, and the process, which is locked.
  for (const key of ownKeys(console)) found.delete(getOwnPropertyDescriptor(console, key)?.value)
  found.delete(process)
  return [...found]
}
