import net from 'node:net'

const MAX_ATTEMPTS = 20

/** Finds the first free loopback port after `port`. Undefined if none of the next 20 is free. */
export async function findFreePort(port: number): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + MAX_ATTEMPTS, 65535); next++) {
    if (await isFreePort(next)) return next
  }
  return undefined
}

/** Whether a port is free on 127.0.0.1, and on ::1 if the machine has it. */
export async function isFreePort(port: number): Promise<boolean> {
  const [first, second] = await Promise.all([
    findPortProblem('127.0.0.1', port),
    findPortProblem('::1', port),
  ])
  return first === undefined && second !== 'EADDRINUSE'
}

function findPortProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    server.listen({ host, port, ipv6Only: true }, () => server.close(() => resolve(undefined)))
  })
}
