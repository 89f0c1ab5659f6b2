import { startListener } from '../../listener.ts'

/** A card in the shape the clients send. */
export const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

/** A listener with one application of each type, for whatever a client of the hosted service asks. */
export async function startForClients() {
  const { vault, url, port, close } = await startListener()
  const management = await vault.application({
    type: 'management',
    permissions: [
      ...['application:create', 'application:read', 'application:update', 'application:delete'],
      ...['tenant:read', 'tenant:update', 'log:read'],
    ],
  })
  const backend = await vault.application({
    permissions: ['token-intent:create', 'token-intent:read', 'token-intent:delete'],
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: [
          ...(['token:create', 'token:read', 'token:update', 'token:delete'] as const),
          ...(['token:use', 'token:search'] as const),
        ],
      },
    ],
  })
  const browser = await vault.application({
    type: 'public',
    permissions: ['token:create', 'token-intent:create'],
  })
  return { vault, url, port, close, management, backend, browser }
}

/** All items of an auto-paging answer of a node SDK. */
export async function allOf<T>(page: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of page) all.push(item)
  return all
}

/** What a promise is rejected with; fails when it is not. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  const result = await Promise.resolve(promise).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  if (result === null) throw new Error('expected a rejection, but the call succeeded')
  return result.error
}
