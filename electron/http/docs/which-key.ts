import type { Entry } from './reference.ts'

/** The keys a collection asks for. */
export const keyNames = ['private_key', 'management_key', 'public_key'] as const

/** The key to try an operation with. */
export function keyNameOf({ id, description }: Entry): (typeof keyNames)[number] {
  if (id === 'sessions.create') return 'public_key'
  if (id.startsWith('applications.')) return 'management_key'
  return /\b(application|tenant|log|report):|\b(proxy|reactor):(?!invoke)/.test(description)
    ? 'management_key'
    : 'private_key'
}
