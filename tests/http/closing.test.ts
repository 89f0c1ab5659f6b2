import net from 'node:net'
import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'

test('X-08 closing the listener does not wait for endless bodies or open connections', async () => {
  const { port, close, vault } = await startListener()
  const { key } = await vault.application({ permissions: ['token:create'] })
  const sockets = [net.connect(port, '127.0.0.1'), net.connect(port, '127.0.0.1')]
  const closed = sockets.map((socket) => {
    socket.on('error', () => {})
    return new Promise((resolve) => socket.on('close', resolve))
  })
  const [kept, half] = sockets
  const answered = new Promise((resolve) => kept?.once('data', resolve))
  kept?.write(`GET /_coffer/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  // The listener's 100 Continue shows that it waits for the body.
  const waited = new Promise((resolve) => half?.once('data', resolve))
  half?.write(
    `POST /tokens HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSVC-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{"type"`,
  )
  expect(String(await answered)).toMatch(/^HTTP\/1\.1 200/)
  expect(String(await waited)).toMatch(/^HTTP\/1\.1 100/)
  await close()
  await Promise.all(closed)
})
