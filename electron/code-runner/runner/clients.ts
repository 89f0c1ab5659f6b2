import path from 'node:path'

/** The clients that Coffer includes, by the name that code requires. In a checkout, they are packages. */
const clients: Readonly<Record<string, { readonly bundle: string; readonly name: string }>> = {
  '@basis-theory/basis-theory-js': { bundle: 'basis-theory-js', name: '@basis-theory/basis-theory-js' },
  '@basis-theory/node-sdk-2': { bundle: 'node-sdk-2', name: 'basis-theory-node-sdk-2' },
  '@basis-theory/node-sdk': { bundle: 'node-sdk', name: '@basis-theory/node-sdk' },
}

/** Returns what to require for a client; null for any other name. */
export function findClientFile(name: string): string | null {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (!client) return null
  if (import.meta.filename.endsWith('.ts')) return client.name
  return path.join(import.meta.dirname, `${client.bundle}.cjs`)
}
