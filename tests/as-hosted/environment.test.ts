import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openAsHosted } from '../../electron/as-hosted/as-hosted.ts'
import { Outbound } from '../../electron/outbound/outbound.ts'
import { noDestinations } from '../../shared/destinations.ts'
import { createTempFolder } from '../vault.ts'
import { startAsHosted } from './start-as-hosted.ts'

test('H-03 the variables of the user are completed', async () => {
  const { hosted } = await startAsHosted()
  const folder = createTempFolder()
  const writeCertificate = (name: string) => {
    const file = path.join(folder, name)
    fs.writeFileSync(file, `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----`)
    return file
  }
  const environment = hosted.createEnvironment({
    NODE_OPTIONS: '--max-old-space-size=512',
    NODE_EXTRA_CA_CERTS: writeCertificate('extra'),
    SSL_CERT_FILE: writeCertificate('ssl'),
    REQUESTS_CA_BUNDLE: path.join(folder, 'missing'),
    NO_PROXY: 'db.internal, *.basistheory.com,example.com:8080',
    JAVA_TOOL_OPTIONS: '-Xmx64m',
    PYTHONPATH: '/own/modules',
  })
  const readNamed = (name: string) => fs.readFileSync(environment[name] ?? '', 'utf8')
  expect(environment.NODE_OPTIONS).toMatch(/^--max-old-space-size=512 --require=".*preload\.cjs"$/)
  expect(readNamed('NODE_EXTRA_CA_CERTS')).toMatch(/extra\n[\s\S]*BEGIN/)
  const bundle = readNamed('SSL_CERT_FILE')
  expect(bundle).toContain('\nssl\n')
  expect(bundle.split('BEGIN CERTIFICATE').length).toBeGreaterThan(50)
  for (const name of ['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']) expect(readNamed(name)).toBe(bundle)
  expect(environment.NO_PROXY).toBe('localhost,127.0.0.1,::1,db.internal,example.com:8080')
  expect(environment.no_proxy).toBe(environment.NO_PROXY)
  expect(environment.HTTPS_PROXY).toBe(hosted.proxy.url)
  expect(environment.https_proxy).toBe(hosted.proxy.url)
  expect(environment.JAVA_TOOL_OPTIONS).toMatch(/^-Xmx64m -Dhttps\.proxyHost=127\.0\.0\.1 /)
  expect(environment.PYTHONPATH).toMatch(/python:\/own\/modules$/)
  for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_TLS_REJECT_UNAUTHORIZED'])
    expect(environment).not.toHaveProperty(name)
})

test('H-03 programs find the files from any folder if the path of TMPDIR is relative', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('TMPDIR', path.relative('.', createTempFolder()))
  const { environment } = await startAsHosted()
  expect(environment.NODE_EXTRA_CA_CERTS).toSatisfy(path.isAbsolute)
})

test('H-03 Node still starts in a shell that outlives the run', async () => {
  const { hosted, environment } = await startAsHosted()
  await hosted.closeServers()
  expect(fs.existsSync(environment.SSL_CERT_FILE ?? '')).toBe(false)
  const script = "fetch('https://api.basistheory.com/').catch(({ cause }) => console.log(cause.code))"
  const printed = execFileSync(process.execPath, ['-e', script], {
    env: { ...environment, PATH: process.env.PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(printed).toBe('ECONNREFUSED\n')
})

test('X-73 no port is opened if the folder of the run cannot be created', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('TMPDIR', path.join(createTempFolder(), 'missing'))
  const listen = vi.spyOn(net.Server.prototype, 'listen')
  onTestFinished(() => listen.mockRestore())
  const outbound = new Outbound({ destinations: () => noDestinations, ownPorts: () => [] })
  onTestFinished(() => outbound.close())
  const ignoreRequest = () => {}
  const opening = openAsHosted({
    destinations: noDestinations,
    outbound,
    port: 0,
    origins: () => [],
    answer: ignoreRequest,
    echo: ignoreRequest,
  })
  await expect(opening).rejects.toThrow('ENOENT')
  expect(listen).not.toHaveBeenCalled()
})
