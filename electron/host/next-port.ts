import net from 'node:net'

const TRIES = 20

/** The first port after `port` that nothing on this machine's loopback listens on; undefined where none is near. */
export async function nextFreePort(port: number): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + TRIES, 65535); next++) {
    if (await isFreePort(next)) return next
  }
  return undefined
}

/** Whether this process could listen on a port of 127.0.0.1. */
export function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)))
  })
}
