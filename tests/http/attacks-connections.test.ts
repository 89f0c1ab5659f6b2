import net from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startListener } from '../listener.ts'
import { fetchRawStatus } from './raw-request.ts'

/**
 * More connections than the listener allows. `COFFER_IDLE_SOCKETS=10000` tests the number that the attack case names.
 */
const idleSockets = Number(process.env.COFFER_IDLE_SOCKETS ?? 2050)
/**
 * Whether to wait until every slow client is disconnected, which takes almost a minute (`COFFER_SLOW_CLIENTS=wait`).
 */
const waits = process.env.COFFER_SLOW_CLIENTS === 'wait'

/** Opens connections that send these bytes and then nothing. `closed` is the number of those that were closed. */
async function openSockets(port: number, count: number, bytes: string) {
  const sockets: net.Socket[] = []
  const all = { sockets, closed: 0, ended: [] as Promise<void>[] }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let at = 0; at < count; at += 100) {
    const batch = Array.from({ length: Math.min(100, count - at) }, () => {
      const socket = net.connect(port, '127.0.0.1')
      sockets.push(socket)
      socket.resume()
      socket.on('error', () => {})
      all.ended.push(
        new Promise((resolve) =>
          socket.on('close', () => {
            all.closed++
            resolve()
          }),
        ),
      )
      return new Promise<void>((resolve) => {
        socket.on('close', resolve)
        socket.on('connect', () => socket.write(bytes, () => resolve()))
      })
    })
    await Promise.all(batch)
  }
  return all
}

async function startTokenListener() {
  const listener = await startListener({ fresh: true })
  const { key } = await listener.vault.application({ permissions: ['token:create', 'token:read'] })
  const head = `Host: 127.0.0.1:${listener.port}\r\nSVC-API-KEY: ${key}\r\n`
  /** Returns the statuses of a write and a read, each on a new connection. */
  const fetchStatuses = async () => {
    const body = JSON.stringify({ type: 'token', data: 'kept' })
    const write = `POST /tokens HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    const read = `GET /v2/tokens HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
    return [await fetchRawStatus(listener.port, write), await fetchRawStatus(listener.port, read)]
  }
  return { ...listener, key, head, fetchStatuses }
}

test('X-08 too many idle connections neither block requests nor close connections in use', async () => {
  const { port, head, fetchStatuses } = await startTokenListener()
  const inUse = net.connect(port, '127.0.0.1')
  onTestFinished(() => void inUse.destroy())
  const requestHealth = () =>
    new Promise<string>((resolve, reject) => {
      const rejectClosed = () => reject(new Error('cut off'))
      inUse.once('close', rejectClosed)
      inUse.once('data', (chunk) => {
        inUse.off('close', rejectClosed)
        resolve(String(chunk))
      })
      inUse.write(`GET /_coffer/health HTTP/1.1\r\n${head}\r\n`)
    })
  const body = '{"type":"token","data":"slowly"}'
  // The connection of this active request must not be closed.
  const half = net.connect(port, '127.0.0.1')
  onTestFinished(() => void half.destroy())
  const continued = new Promise((resolve) => half.once('data', resolve))
  half.write(
    `POST /tokens HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  )
  expect(String(await continued)).toMatch(/^HTTP\/1\.1 100 /)
  const ended: Promise<void>[] = []
  for (let opened = 0; opened < idleSockets; opened += 500) {
    const idle = await openSockets(port, Math.min(500, idleSockets - opened), '')
    ended.push(...idle.ended)
    expect(await requestHealth()).toMatch(/^HTTP\/1\.1 200 /)
  }
  expect(await fetchStatuses()).toEqual(['201', '200'])
  // Idle connections were closed to make space.
  await Promise.race(ended)
  const finished = new Promise((resolve) => half.once('data', resolve))
  half.write(body)
  expect(String(await finished)).toMatch(/^HTTP\/1\.1 201 /)
  if (waits) await Promise.all(ended)
}, 100_000)

test('X-08 clients that send headers or a body slowly do not delay other requests', async () => {
  const { port, head, fetchStatuses } = await startTokenListener()
  const headers = await openSockets(port, 50, `GET /v2/tokens HTTP/1.1\r\n${head}X-Slow: `)
  const bodies = await openSockets(
    port,
    50,
    `POST /tokens HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
  )
  const chunks = await openSockets(
    port,
    50,
    `POST /tokens HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
  )
  const slow = [headers, bodies, chunks].flatMap(({ sockets }) => sockets)
  const writeSlowly = () => {
    for (const [index, socket] of slow.entries()) socket.write(index < 100 ? 'x' : '1\r\nx\r\n')
  }
  for (let round = 0; round < 3; round++) {
    writeSlowly()
    expect(await fetchStatuses()).toEqual(['201', '200'])
  }
  expect([headers.closed, bodies.closed, chunks.closed]).toEqual([0, 0, 0])
  if (!waits) return
  const dribbling = setInterval(writeSlowly, 500)
  await Promise.all([headers, bodies, chunks].flatMap(({ ended }) => ended))
  clearInterval(dribbling)
}, 100_000)
