import { spawn } from 'node:child_process'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { formatKeyHint } from '../../shared/key-hint.ts'
import { isThorough } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { startCoffer, startInTerminal } from './run-coffer.ts'

const serveArgs = ['serve', '--ephemeral', '--port', '0']
const card = '4242424242424242'

test('--log json prints one line per request, without token data', async () => {
  const run = startCoffer([...serveArgs, '--json', '--log', 'json', '--faults', 'tests/cli/slow.faults.yaml'])
  const { url, keys } = await run.json()
  const headers = {
    'SVC-API-KEY': keys.private,
    'SVC-TRACE-ID': 'trace-1',
    'Content-Type': 'application/json',
  }
  const sendRequest = (path: string, init: RequestInit = {}) => fetch(url + path, { headers, ...init })
  const body = JSON.stringify({ id: 'order-7', type: 'token', data: 'a secret value' })
  await sendRequest('/tokens', { method: 'POST', body })
  await sendRequest('/tokens/order-7?api_key=in-the-query')
  await sendRequest(`/tokens/${card}`)
  await sendRequest('/nowhere/a-secret-word/tokens')
  await sendRequest('/connections/a-secret-word/stripe-forward', { method: 'PUT' })
  await sendRequest('/proxy/below/a-secret-word')
  await sendRequest('/tokens/%zz')
  await sendRequest('/_coffer/clock', { headers: { ...headers, 'SVC-API-KEY': keys.management } })
  await sendRequest('/tokens', { headers: { 'SVC-API-KEY': 'key_local_pvt_that_is_not_one' } })
  await sendRequest('/tokens', { headers: { Origin: 'https://evil.test' } })
  const preflight = { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST' }
  await sendRequest('/tokens', { method: 'OPTIONS', headers: preflight })
  await sendRequest('/last')
  await run.waitForLine(/"\/…"/)
  const lines = run.lines.filter((line) => line.startsWith('{"time"'))
  const key = formatKeyHint(keys.private)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'POST', path: '/tokens', status: 201, key, trace_id: 'trace-1' },
    { method: 'GET', path: '/tokens/order-7', status: 200, key },
    { path: '/tokens/XXXXXXXXXXXX4242', status: 404, key },
    { path: '/…/…/tokens', status: 404, key: null },
    { path: '/connections/…/stripe-forward', status: 404, key },
    { path: '/proxy/…' },
    { path: '/tokens/…', status: 400, key: null },
    { path: '/_coffer/clock', status: 200, key: formatKeyHint(keys.management) },
    { path: '/tokens', status: 401, key: null },
    { path: '/tokens', status: 403, key: null },
    { method: 'OPTIONS', path: '/tokens', status: 403, key: null },
    { path: '/…', status: 404 },
  ])
  for (const line of lines) {
    const { time, duration_ms, ...rest } = JSON.parse(line)
    expect(Object.keys(rest)).toEqual(['method', 'path', 'status', 'key', 'trace_id'])
    expect(Date.parse(time)).not.toBeNaN()
    expect(duration_ms).toBeGreaterThan(0)
  }
  for (const secret of ['secret', 'in-the-query', card, 'not_one', keys.private.slice(-10)]) {
    expect(lines.join('\n')).not.toContain(secret)
  }
  // A request whose response never ends.
  const request = http.get(`${url}/applications`, { headers: { 'SVC-API-KEY': keys.management } })
  request.on('error', () => {})
  request.on('socket', (socket) => socket.on('connect', () => setImmediate(() => request.destroy())))
  expect(JSON.parse(await run.waitForLine(/^\{"time".*"cut"/))).toMatchObject({
    path: '/applications',
    status: null,
    cut: true,
  })
  run.stop()
  expect(await run.ended).toBe(0)
})

test('by default, requests are printed at a terminal only', async () => {
  const terminal = startInTerminal(serveArgs)
  const [url = ''] = /http:\/\/\S+/.exec(await terminal.waitForLine(/listening on/)) ?? []
  await terminal.waitForLine(/Ctrl-C/)
  await fetch(`${url}/_coffer/ready`, { headers: { 'SVC-TRACE-ID': 'trace-2' } })
  expect(await terminal.waitForLine(/trace-2/)).toMatch(
    /^\d\d:\d\d:\d\d {2}GET {4}\/_coffer\/ready {2}200 {2}[\d.]+ ms {2}no key {2}trace-2\s*$/,
  )
  const program = startCoffer(serveArgs)
  const [plain = ''] = /http:\/\/\S+/.exec(await program.waitForLine(/listening on/)) ?? []
  await fetch(`${plain}/_coffer/ready`)
  program.stop()
  await program.ended
  expect(program.lines.join('\n')).not.toContain('_coffer/ready')
})

test('with --log off, a terminal shows no requests', { tags: 'thorough' }, async () => {
  const off = startInTerminal([...serveArgs, '--log', 'off'])
  const [quiet = ''] = /http:\/\/\S+/.exec(await off.waitForLine(/listening on/)) ?? []
  await fetch(`${quiet}/_coffer/ready`)
  off.stop()
  await off.ended
  expect(off.getOutput()).not.toContain('_coffer/ready')
})

/** Starts Coffer and reads only the first line of its output, until `resume` is called. */
async function startUnread(inTerminal: boolean) {
  const words = ['--disable-warning=ExperimentalWarning', path.resolve('electron/cli/run.mjs'), ...serveArgs]
  const command = [process.execPath, ...words, '--json', '--log', 'json']
  const { PATH, HOME, NODE_OPTIONS } = process.env
  const env = { PATH, HOME, NODE_OPTIONS, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }
  const [program = '', ...rest] = inTerminal
    ? ['script', '-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null']
    : command
  const child = spawn(program, rest, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  const addOutput = (chunk: Buffer) => {
    printed += chunk
  }
  child.stdout.on('data', addOutput)
  await waitFor(() => expect(printed).toContain('\n'))
  child.stdout.pause()
  const { url, keys } = JSON.parse(printed.slice(printed.indexOf('{'), printed.indexOf('\n')))
  const resumeReading = () => child.stdout.resume()
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return { child, url, keys, resumeReading, ended, getOutput: () => printed }
}

/** Sends this many requests, fifty in parallel, and expects a response to each. */
async function sendRequests(url: string, times: number): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const request = `GET /_coffer/health HTTP/1.1\r\nHost: ${host}\r\nSVC-TRACE-ID: ${'t'.repeat(200)}\r\n`
  for (let done = 0; done < times; done += 50) {
    const socket = net.connect(Number(port), hostname)
    socket.write(`${request}\r\n`.repeat(49))
    socket.write(`${request}Connection: close\r\n\r\n`)
    const answers = await text(socket)
    expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(50)
  }
}

const REQUESTS = 2000

async function expectNoDelay(inTerminal: boolean): Promise<void> {
  const { child, url, resumeReading, ended, getOutput } = await startUnread(inTerminal)
  // This is far more than any pipe or terminal buffers, and exceeds the limit of pending lines.
  await sendRequests(url, REQUESTS)
  resumeReading()
  const countShown = () => getOutput().match(/"\/_coffer\/health"/g)?.length ?? 0
  const countDropped = () =>
    [...getOutput().matchAll(/\{"dropped":(\d+)\}/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  await waitFor(() => expect(countShown() + countDropped()).toBe(REQUESTS))
  expect(countDropped()).toBeGreaterThan(0)
  const before = countShown()
  await sendRequests(url, 50)
  await waitFor(() => expect(countShown()).toBe(before + 50))
  if (!inTerminal) {
    child.stdout.pause()
    await sendRequests(url, isThorough ? 1000 : 400)
  }
  child.kill('SIGTERM')
  const code = await ended
  // At a terminal, the exit code is that of `script`.
  if (!inTerminal) expect(code).toBe(0)
}

test('an unread pipe delays no response, and dropped lines are counted', () => expectNoDelay(false))

test('a stopped terminal delays no response, and dropped lines are counted', { tags: 'thorough' }, () =>
  expectNoDelay(true),
)

test('Coffer keeps serving when the output of its request log is closed', async () => {
  const { child, url } = await startUnread(false)
  child.stdout.destroy()
  await sendRequests(url, 100)
})
