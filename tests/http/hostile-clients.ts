/** Opens clients that never finish, read or close, as another user if this process runs as root (case X-66). */
import net from 'node:net'
import tls from 'node:tls'

export type HostileClient = {
  readonly port: number
  /** A CONNECT, whose answer is awaited. */
  readonly connect?: string
  /** The name in a TLS handshake; without it, there is none. */
  readonly servername?: string
  readonly bytes: string
  /** Whether another byte follows each second. */
  readonly drips?: boolean
}

/** The id of `nobody` on Linux. Elsewhere, any id that is not root's will do. */
const NOBODY = 65_534
const BATCH = 50

async function openClient({ port, connect, servername, bytes, drips }: HostileClient): Promise<void> {
  const raw = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
  if (connect !== undefined) {
    raw.write(connect)
    await waitForFirst(raw, ['readable', 'close'])
    raw.read()
  }
  const socket =
    servername === undefined ? raw : tls.connect({ socket: raw, servername, rejectUnauthorized: false })
  socket.on('error', () => {})
  if (servername !== undefined) await waitForFirst(socket, ['secureConnect', 'close'])
  const written = new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  await Promise.race([written, waitForFirst(socket, ['close'])])
  if (drips) setInterval(() => socket.writable && socket.write('a'), 1000)
}

function waitForFirst(socket: net.Socket, events: readonly string[]): Promise<void> {
  if (socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    for (const event of events) socket.once(event, resolve)
  })
}

process.once('message', async ({ clients, health }: { clients: HostileClient[]; health: string }) => {
  for (let at = 0; at < clients.length; at += BATCH) {
    await Promise.all(clients.slice(at, at + BATCH).map(openClient))
    // Once this is answered, the batch has been accepted: these clients hold connections, they are no flood.
    await (await fetch(health, { headers: { Connection: 'close' } })).text()
  }
  process.send?.('open')
})

// After all modules are loaded, because the other user may not be able to read them.
const isRoot = process.getuid?.() === 0
if (isRoot) {
  process.setgroups?.([])
  process.setgid?.(NOBODY)
  process.setuid?.(NOBODY)
}
process.send?.(isRoot ? 'another user' : 'same user')
