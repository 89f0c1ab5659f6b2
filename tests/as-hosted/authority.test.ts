import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import fs from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { issueCertificates } from '../../electron/as-hosted/authority.ts'
import { createTempFolder } from '../vault.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const names = ['api.basistheory.com', 'js.basistheory.com', 'api.stripe.com']

/** Runs openssl and returns what it prints. */
function runOpenssl(...args: string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function writeFiles(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const folder = createTempFolder()
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const file = path.join(folder, `${name}.pem`)
      fs.writeFileSync(file, text)
      return [name, file]
    }),
  )
}

test('H-02 every leaf is valid for its own name alone, for 30 days', async () => {
  const { root, leaves, forAll } = await issueCertificates(names)
  const authority = new X509Certificate(root)
  expect(authority.ca).toBe(true)
  for (const [name, chain] of [...leaves, ['all', forAll]] as const) {
    const files = writeFiles({ root, chain })
    expect(
      runOpenssl(
        'verify',
        '-x509_strict',
        '-CAfile',
        files.root ?? '',
        '-untrusted',
        files.chain ?? '',
        files.chain ?? '',
      ),
    ).toContain(': OK')
    const leaf = new X509Certificate(chain)
    expect(leaf.ca).toBe(false)
    expect(leaf.subjectAltName?.split(', ')).toEqual(
      (name === 'all' ? names : [name]).map((each) => `DNS:${each}`),
    )
    const days = (leaf.validToDate.getTime() - Date.now()) / DAY_MS
    expect(days).toBeGreaterThan(29)
    expect(days).toBeLessThanOrEqual(30)
  }
})

test('H-02 the issuing certificate is good for the answered names and for no address', async () => {
  const { leaves } = await issueCertificates(names)
  const [, issuing = ''] = leaves.get('api.basistheory.com')?.split(/(?<=-----END CERTIFICATE-----\n)/) ?? []
  const { issuing: file } = writeFiles({ issuing })
  const text = runOpenssl('x509', '-noout', '-text', '-in', file ?? '')
  const [, constraints = ''] = /X509v3 Name Constraints: critical\s+([\s\S]*?)\n\s+X509v3/.exec(text) ?? []
  expect(constraints.split('\n').map((line) => line.trim())).toEqual([
    'Permitted:',
    ...names.map((name) => `DNS:${name}`),
    'Excluded:',
    'IP:0.0.0.0/0.0.0.0',
    'IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0',
  ])
})

test('H-02 X-72 two runs have different authorities, and neither accepts the other', async () => {
  const [first, second] = await Promise.all([issueCertificates(names), issueCertificates(names)])
  expect(first.key).not.toBe(second.key)
  const server = https.createServer({ key: first.key, cert: first.forAll }, (_request, response) =>
    response.end('hi'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const getResult = (ca: string, host: string) =>
    new Promise<string>((resolve) => {
      const request = https.get(
        { host: '127.0.0.1', port, ca, servername: host, agent: false },
        (response) => {
          response.resume()
          resolve('accepted')
        },
      )
      request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  expect(await getResult(first.root, 'js.basistheory.com')).toBe('accepted')
  expect(await getResult(first.root, 'example.com')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(await getResult(second.root, 'js.basistheory.com')).toBe('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
})

test('H-02 a list of 100 names fits into one certificate', async () => {
  const many = Array.from({ length: 100 }, (_each, at) => `service-number-${at}.of-a-long-name.example.com`)
  const { root, forAll } = await issueCertificates(many)
  const files = writeFiles({ root, forAll })
  expect(
    runOpenssl(
      'verify',
      '-x509_strict',
      '-CAfile',
      files.root ?? '',
      '-untrusted',
      files.forAll ?? '',
      files.forAll ?? '',
    ),
  ).toContain(': OK')
})
