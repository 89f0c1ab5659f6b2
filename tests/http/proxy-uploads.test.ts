import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LARGE_BODY_BYTES } from '../../electron/http/uploads.ts'
import { startDestination } from '../outbound/destination.ts'
import { pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { connectMany } from './hold-requests-open.ts'
import { startProxy } from './start-proxy.ts'

const HUNG = 60
const LENGTH = 20_000_000

/** Starts a proxy to a server that reads everything. `startUpload` starts an upload that stalls. */
async function startUploads() {
  const { callProxy, listener, key } = await startProxy()
  const { url } = await startDestination((request, response) => {
    request.resume().on('end', () => response.end('whole'))
    request.on('error', () => {})
  })
  const headers = { 'BT-PROXY-URL': url, 'Content-Type': 'text/plain' }
  const startUpload = (bytes: number, headers = `Content-Length: ${LENGTH}`) => {
    const socket = net.connect(listener.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let response = ''
    const answered = new Promise<string>((resolve) => {
      socket.on('data', (chunk) => {
        response += chunk
        if (response.includes('\r\n\r\n')) resolve(response)
      })
      socket.on('error', () => {})
    })
    const chunked = headers.startsWith('Transfer')
    const content = chunked ? `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n` : 'x'.repeat(bytes)
    const started = new Promise<void>((resolve) =>
      socket.write(
        `POST /proxy HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\nBT-API-KEY: ${key}\r\nBT-PROXY-URL: ${url}\r\nContent-Type: text/plain\r\n${headers}\r\n\r\n${content}`,
        () => resolve(),
      ),
    )
    return { socket, answered, started, getReceived: () => response }
  }
  const sendLong = () => callProxy('POST', '/proxy', { headers, body: 'y'.repeat(200_000) })
  return { callProxy, startUpload, headers, sendLong, port: listener.port }
}

test('R-03 X-08 stalled small uploads occupy no slot and can continue', {
  tags: 'thorough',
}, async () => {
  const { startUpload, sendLong } = await startUploads()
  const hung = Array.from({ length: HUNG }, (_, at) =>
    startUpload(10, at % 2 === 0 ? undefined : 'Transfer-Encoding: chunked'),
  )
  await Promise.all(hung.map(({ started }) => started))
  expect((await sendLong()).text).toBe('whole')
  // No stalled upload was ended to free a slot.
  expect(hung.map(({ getReceived }) => getReceived()).filter((each) => each !== '')).toEqual([])
  await delay(3500)
  const slow = hung[1]
  slow?.socket.write('0\r\n\r\n')
  expect(await slow?.answered).toMatch(/^HTTP\/1.1 200 /)
})

const sizes: [string, number][] = [
  ['100 KB', 100_000],
  ['2 MB', 2_000_000],
]

test.each(pickSome(sizes, 1))(
  'R-03 X-08 uploads that stall after %s time out and free slots',
  async (_, bytes) => {
    const { startUpload, sendLong, port } = await startUploads()
    const arrived = connectMany(port, HUNG)
    const hung = Array.from({ length: HUNG }, () => startUpload(bytes))
    const sockets = await arrived
    // Each upload has sent enough to occupy a slot.
    await waitFor(() => expect(sockets.every(({ bytesRead }) => bytesRead > LARGE_BODY_BYTES)).toBe(true))
    expect((await sendLong()).text).toBe('whole')
    const response = await Promise.race(hung.map(({ answered }) => answered))
    expect(response).toMatch(/^HTTP\/1.1 408 /)
    expect(response).toContain('"proxy_error"')
  },
)
