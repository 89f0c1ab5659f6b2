import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from './in-process.ts'

/** Starts a server that is not Coffer, and returns a function that runs a command with its address. */
async function startServer(answer: http.RequestListener) {
  const server = http.createServer(answer)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, run: (...args: string[]) => runCommandLine(...args, '--url', url, '--key', 'key') }
}

function answerWith(body: string, status = 200): http.RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }
}

function pretendTerminal(): void {
  const { isTTY } = process.stdout
  process.stdout.isTTY = true
  onTestFinished(() => {
    process.stdout.isTTY = isTTY
  })
}

test('coffer api says that a response broke off', async () => {
  const { url, run } = await startServer((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{', () => response.destroy())
  })
  expect((await run('api', '/tokens')).error).toBe(
    `The response from ${url} broke off. Send the request again.`,
  )
})

test('coffer api says that a connection was closed', async () => {
  const { url, run } = await startServer((request) => void request.socket.destroy())
  const { error } = await run('api', '/tokens')
  expect(error).toContain(
    `${url} closed the connection without a response. List the faults that do that with:`,
  )
  expect(error).toMatch(/ faults list/)
})

test('coffer api reports a problem whose errors have another form', async () => {
  const { run } = await startServer(
    answerWith('{"status":400,"detail":"Bad.","errors":{"data":"wrong"}}', 400),
  )
  expect((await run('api', '/tokens')).error).toBe('The request failed. (status 400)')
})

test('coffer api stops at a page that leads to itself', async () => {
  const { run } = await startServer(answerWith('{"data":[],"pagination":{"next":"same"}}'))
  expect((await run('api', '/tokens', '--paginate')).out.split('\n')).toHaveLength(3)
})

test('coffer api prints no control characters at a terminal', async () => {
  const text = 'a\u001b]0;title\u0007\u009b31m\u202eb'
  const { run } = await startServer(answerWith(JSON.stringify({ text: `${text}\nc` })))
  pretendTerminal()
  const printed = [
    await run('api', '/tokens'),
    await run('api', '/tokens', '-i'),
    await run('api', '/tokens', '--jq', '.text'),
  ]
  for (const { out } of printed) {
    expect(out).toContain('b')
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  }
  expect(printed[2]?.out).toBe('a\uFFFD]0;title\uFFFD\uFFFD31m\uFFFDb\nc\n')
})

test.each([
  ['clock', 'show'],
  ['faults', 'list'],
])('coffer %s %s refuses a response that is not Coffer’s', async (...words) => {
  const { url, run } = await startServer(answerWith('{"now":5,"rules":5}'))
  expect((await run(...words)).error).toBe(`The response from ${url} is not in the format of Coffer’s API.`)
})
