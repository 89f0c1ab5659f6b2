import type { ReferenceOperation } from './reference.ts'

/** The variables of a collection that hold keys, and which of the starter keys each is. */
const keyNames = { private_key: 'private', management_key: 'management', public_key: 'public' } as const

/** Keys to fill in; undefined leaves them to whoever uses the collection. */
export type KeysOfRequests = Readonly<Record<'private' | 'management' | 'public', string>> | undefined

/** The variables of a collection that hold keys, each with its value; empty without keys. */
export function keyVariables(keys: KeysOfRequests): (readonly [name: string, value: string])[] {
  return Object.entries(keyNames).map(([name, type]) => [name, keys?.[type] ?? ''])
}

/** The key to try an operation with. */
export function getKeyName({ id, description }: ReferenceOperation): keyof typeof keyNames {
  if (id === 'sessions.create') return 'public_key'
  if (id.startsWith('applications.')) return 'management_key'
  return /\b(application|tenant|log|report):|\b(proxy|reactor):(?!invoke)/.test(description)
    ? 'management_key'
    : 'private_key'
}
