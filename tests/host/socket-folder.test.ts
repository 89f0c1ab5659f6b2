import net from 'node:net'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { connectTo, listenIn, listSockets } from '../../electron/host/control/socket-folder.ts'
import { createTempFolder } from '../vault.ts'

// One name in 280 consists of digits, and Node takes digits alone for a port.
vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  randomBytes: () => Buffer.from('123456789012', 'hex'),
}))

test.runIf(process.platform !== 'win32')(
  'a socket whose name is a number opens by its short path',
  async () => {
    // This path is too long for a socket, so the name alone is the address.
    const dataDir = path.join(createTempFolder(), 'd'.repeat(120))
    const server = net.createServer((socket) => socket.end('here'))
    const remove = await listenIn(dataDir, server)
    const [file = ''] = await listSockets(dataDir)
    const socket = await connectTo(file)
    const answer = await new Promise((resolve) => socket?.once('data', (data) => resolve(`${data}`)))
    expect(answer).toBe('here')
    socket?.destroy()
    server.close()
    remove()
  },
)
