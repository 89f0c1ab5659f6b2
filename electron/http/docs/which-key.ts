import type { ReferenceOperation } from './reference.ts'

/** The key variables of a collection, each with the type of its starter key. */
const keyNames = { private_key: 'private', management_key: 'management', public_key: 'public' } as const

/** Keys to fill in; undefined leaves the variables empty. */
export type KeysOfRequests = Readonly<Record<'private' | 'management' | 'public', string>> | undefined

/** Returns the key variables of a collection with their values, which are empty if no keys are passed. */
export function listKeyVariables(keys: KeysOfRequests): (readonly [name: string, value: string])[] {
  return Object.entries(keyNames).map(([name, type]) => [name, keys?.[type] ?? ''])
}

/** Returns the name of the variable with the key for an operation. */
export function getKeyName({ id, description }: ReferenceOperation): keyof typeof keyNames {
  if (id === 'sessions.create') return 'public_key'
  if (id.startsWith('applications.')) return 'management_key'
  return /\b(application|tenant|log|report):|\b(proxy|reactor):(?!invoke)/.test(description)
    ? 'management_key'
    : 'private_key'
}
