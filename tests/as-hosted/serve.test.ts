import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { expect, test } from 'vitest'
import { startCoffer, startServe } from '../cli/run-coffer.ts'
import { listenOnFreePort } from '../outbound/destination.ts'
import { findFreePort } from '../ports.ts'
import { createTempFolder } from '../vault.ts'

const fetchReady =
  "fetch('https://api.basistheory.com/_coffer/ready').then(({ status }) => console.log(status))"

test('H-03 serve prints what programs need, and removes its files at the end', async () => {
  const port = await findFreePort()
  const authority = path.join(createTempFolder(), 'authority.pem')
  const serve = startServe(
    createTempFolder(),
    {},
    '--ephemeral',
    '--as-hosted',
    String(port),
    '--authority-file',
    authority,
  )
  const { as_hosted: hosted } = await serve.json()
  expect(hosted).toMatchObject({
    origins: expect.arrayContaining(['https://api.basistheory.com', 'https://js.basistheory.com']),
    port,
    chromium: [
      expect.stringContaining(`MAP js.basistheory.com:443 127.0.0.1:${port}, `),
      expect.stringMatching(/^--ignore-certificate-errors-spki-list=[\w+/]{43}=$/),
    ],
  })
  const env = { ...process.env, ...hosted.environment }
  expect(execFileSync(process.execPath, ['-e', fetchReady], { env, encoding: 'utf8' })).toBe('200\n')
  expect(fs.readFileSync(authority, 'utf8')).toBe(
    fs.readFileSync(hosted.environment.NODE_EXTRA_CA_CERTS, 'utf8'),
  )
  if (process.platform !== 'win32') {
    const command = `. '${hosted.shell_file}' && "$0" -e "$1"`
    const { PATH } = process.env
    const args = ['-c', command, process.execPath, fetchReady]
    expect(execFileSync('sh', args, { env: { PATH }, encoding: 'utf8' })).toBe('200\n')
  }
  serve.stop()
  expect(await serve.ended).toBe(0)
  expect(fs.existsSync(path.dirname(hosted.shell_file))).toBe(false)
})

test('H-01 a port that is taken is named', async () => {
  const port = await listenOnFreePort(net.createServer())
  const serve = startServe(createTempFolder(), {}, '--ephemeral', '--as-hosted', String(port))
  expect(await serve.ended).toBe(1)
  expect(serve.lines.join('\n')).toContain(`Port ${port} is taken.`)
})

test('X-73 a sender that hangs up in the middle of a body to the echo does not stop Coffer', async () => {
  const serve = startServe(createTempFolder(), {}, '--ephemeral', '--as-hosted')
  const { as_hosted: hosted } = await serve.json()
  const sender = tls.connect({
    host: '127.0.0.1',
    port: hosted.port,
    servername: 'echo.basistheory.com',
    ca: fs.readFileSync(hosted.environment.NODE_EXTRA_CA_CERTS),
  })
  sender.end(
    'POST /anything HTTP/1.1\r\nHost: echo.basistheory.com\r\nContent-Length: 100\r\n\r\nthe first part',
  )
  // Without a listener for data, the end of the connection is never read.
  await once(sender.resume(), 'close')
  const env = { ...process.env, ...hosted.environment }
  expect(execFileSync(process.execPath, ['-e', fetchReady], { env, encoding: 'utf8' })).toBe('200\n')
  serve.stop()
  expect(await serve.ended).toBe(0)
})

test('H-03 the command for a shell is quoted where the path of its file needs it', async () => {
  const folder = path.join(createTempFolder(), 'two words')
  fs.mkdirSync(folder)
  const serve = startCoffer(['serve', '--port', '0', '--ephemeral', '--as-hosted'], { TMPDIR: folder })
  expect(await serve.waitForLine(/environment\.sh/)).toMatch(/^ {2}\. '.*\/two words\/.*\/environment\.sh'$/)
})
