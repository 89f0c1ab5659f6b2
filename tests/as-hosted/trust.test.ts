import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLastingIssuer, importIssuer, issueCertificates } from '../../electron/as-hosted/authority.ts'
import { getAuthorityFiles, readAuthority } from '../../electron/host/authority/authority-record.ts'
import {
  addToStores,
  createAuthority,
  inspectAuthority,
  removeAuthority,
  unlockAuthority,
} from '../../electron/host/authority/lasting-authority.ts'
import {
  canAddTo,
  getSha1,
  listTrustStores,
  type TrustStore,
} from '../../electron/host/authority/trust-stores.ts'
import { diagnoseVault } from '../../electron/host/doctor.ts'
import { createTempFolder } from '../vault.ts'

const names = ['api.basistheory.com', 'js.basistheory.com']
const DAY_MS = 24 * 60 * 60 * 1000

const passphrase = 'correct horse battery staple'
const weakest = { memory_kib: 8, iterations: 1, parallelism: 1 }

/** Creates an authority that a passphrase protects, for stores. */
async function createProtected(stores: readonly TrustStore[] = []) {
  const dataDir = createTempFolder()
  const record = await createAuthority(dataDir, names, stores, { passphrase, argon2id: weakest })
  return { dataDir, record }
}

async function neverAsk(): Promise<string> {
  throw new Error('It was asked for.')
}

/** Puts a program into PATH that appends its arguments to a file, then runs a line of shell. */
function installTool(name: string, line: string) {
  const folder = createTempFolder()
  const calls = path.join(folder, 'calls')
  fs.writeFileSync(path.join(folder, name), `#!/bin/sh\necho "$*" >> '${calls}'\ncd '${folder}'\n${line}\n`, {
    mode: 0o755,
  })
  vi.stubEnv('PATH', `${folder}${path.delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { folder, readCalls: () => fs.readFileSync(calls, 'utf8').trim().split('\n') }
}

test('X-72 the key of a lasting authority is sealed, and opens only with its passphrase', async () => {
  const { dataDir, record } = await createProtected()
  const { folder } = getAuthorityFiles(dataDir)
  const read = readAuthority(dataDir)
  expect(read).toMatchObject({ id: record.id, names })
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    expect(fs.readFileSync(file, 'utf8')).not.toContain('PRIVATE KEY')
    if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o077).toBe(0)
  }
  // The start of every key in PKCS #8.
  expect(Buffer.from(read?.sealed ?? '', 'base64').includes(Buffer.from('2a8648ce3d0201', 'hex'))).toBe(false)
  if (!read) throw new Error('There is no record.')
  await expect(unlockAuthority(read, async () => 'wrong horse')).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  const issuer = await unlockAuthority(read, async () => passphrase)
  expect(issuer.signingKey.extractable).toBe(false)
  expect(JSON.stringify([issuer, await inspectAuthority(dataDir)])).not.toContain(passphrase)
})

test('X-72 a sealed key does not open for other names or certificates', async () => {
  const { record } = await createProtected()
  const other = await createLastingIssuer(['google.com'], 90)
  for (const change of [
    { names: [...names, 'google.com'] },
    { root: other.root },
    { issuing: other.issuing },
  ])
    await expect(unlockAuthority({ ...record, ...change }, async () => passphrase)).rejects.toMatchObject({
      code: 'unauthenticated',
    })
})

test('X-72 a lasting authority issues for no other name, and such a certificate would be worthless', async () => {
  const { record } = await createProtected()
  const issuer = await unlockAuthority(record, async () => passphrase)
  await expect(issueCertificates(['google.com'], issuer)).rejects.toThrow('not for all of these names')
  const { root, key, issuing } = await createLastingIssuer(names, 90)
  const stolen = await importIssuer({ names: ['google.com', ...names], root, issuing }, key)
  const folder = createTempFolder()
  const verifyChain = (chain: string) => {
    const [rootFile, file] = [path.join(folder, 'root.pem'), path.join(folder, 'chain.pem')]
    fs.writeFileSync(rootFile, root)
    fs.writeFileSync(file, chain)
    return execFileSync('openssl', ['verify', '-CAfile', rootFile, '-untrusted', file, file], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  }
  const { leaves } = await issueCertificates(['google.com', ...names], stolen)
  expect(verifyChain(leaves.get('js.basistheory.com') ?? '')).toContain(': OK')
  expect(() => verifyChain(leaves.get('google.com') ?? '')).toThrow('permitted subtree violation')
})

test('X-72 a lasting authority that another user could change is refused and named', async () => {
  if (process.platform === 'win32') return
  const { dataDir } = await createProtected()
  const { record: file, certificate, folder } = getAuthorityFiles(dataDir)
  for (const each of [file, certificate, folder]) {
    const { mode } = fs.statSync(each)
    fs.chmodSync(each, mode | 0o002)
    expect(() => readAuthority(dataDir)).toThrow(`Other users can write to ${each}`)
    await expect(removeAuthority(dataDir)).rejects.toMatchObject({ code: 'forbidden' })
    const findings = await diagnoseVault({ dataDir, name: 'default', now: Date.now() })
    expect(findings.find(({ about }) => about === 'authority')).toMatchObject({ state: 'fail' })
    fs.chmodSync(each, mode)
  }
  if (process.getuid?.() !== 0) return
  fs.chownSync(file, 12_345, 12_345)
  expect(() => readAuthority(dataDir)).not.toThrow('damaged')
  expect(() => readAuthority(dataDir)).toThrow('belongs to another user')
})

test('H-02 an expired authority is not used, and doctor says what to do', async () => {
  const { dataDir, record } = await createProtected()
  const findAuthority = async (now: number) =>
    (await diagnoseVault({ dataDir, name: 'default', now })).find(({ about }) => about === 'authority')
  expect(await findAuthority(Date.now())).toMatchObject({ state: 'ok' })
  expect(await findAuthority(Date.now() + 85 * DAY_MS)).toMatchObject({
    state: 'warn',
    todo: expect.stringContaining('Renew'),
  })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 91 * DAY_MS })
  onTestFinished(() => void vi.useRealTimers())
  await expect(unlockAuthority(record, neverAsk)).rejects.toThrow('expired at')
  expect(await inspectAuthority(dataDir)).toMatchObject({ state: 'expired' })
  expect(await findAuthority(Date.now())).toMatchObject({
    state: 'warn',
    text: expect.stringContaining('expired at'),
  })
})

test('X-72 what an interrupted command leaves is named by doctor and removed', async () => {
  const states: ((dataDir: string) => void)[] = [
    // Killed before the record was written.
    (dataDir) =>
      fs
        .readdirSync(getAuthorityFiles(dataDir).folder)
        .map((name) => fs.rmSync(path.join(getAuthorityFiles(dataDir).folder, name))),
    // Killed before the certificate was written.
    (dataDir) => fs.rmSync(getAuthorityFiles(dataDir).certificate),
    // Killed by remove after the key was destroyed.
    (dataDir) => {
      const { sealed: _, ...rest } = readAuthority(dataDir) ?? {}
      fs.writeFileSync(getAuthorityFiles(dataDir).record, JSON.stringify(rest), { mode: 0o600 })
    },
  ]
  for (const leaveState of states) {
    const { dataDir } = await createProtected()
    leaveState(dataDir)
    const findings = await diagnoseVault({ dataDir, name: 'default', now: Date.now() })
    expect(findings.map(({ about }) => about)).toContain('authority')
    expect(await removeAuthority(dataDir)).toEqual({ stores: [], keychain: false })
    expect(fs.readdirSync(dataDir)).toEqual([])
  }
})

// The real tools of macOS and Windows are not tried: these record their arguments.
test.skipIf(process.platform === 'win32')(
  'X-72 on macOS, the login keychain of this user is changed',
  async () => {
    const [store] = listTrustStores('darwin', '/Users/ada')
    if (!store) throw new Error('There is no store.')
    const tool = installTool(
      'security',
      'case $1 in add*) for last; do :; done; cat "$last" > held;; delete*) rm held;; *) cat held 2>/dev/null;; esac; true',
    )
    const { dataDir, record } = await createProtected([store])
    const { certificate } = getAuthorityFiles(dataDir)
    expect(canAddTo(store)).toBe(true)
    expect(await addToStores(dataDir, record, [store])).toEqual([])
    expect(await inspectAuthority(dataDir)).toMatchObject({ stores: [{ trusted: 'yes' }] })
    expect(await removeAuthority(dataDir)).toEqual({ stores: [], keychain: false })
    const place = '/Users/ada/Library/Keychains/login.keychain-db'
    const find = `find-certificate -a -p ${place}`
    expect(tool.readCalls().filter((call) => call !== find)).toEqual([
      `add-trusted-cert -r trustRoot -p ssl -k ${place} ${certificate}`,
      `delete-certificate -Z ${getSha1(record.root)} -t ${place}`,
    ])
  },
)

test.skipIf(process.platform === 'win32')(
  'X-72 on Windows, the Root store of this user is changed; what remains is named',
  async () => {
    const [store] = listTrustStores('win32')
    if (!store) throw new Error('There is no store.')
    const tool = installTool(
      'certutil',
      'case $2 in -addstore) touch held;; -delstore) test -f may && rm held;; *) test -f held || { echo 0x80090011; exit 1; };; esac',
    )
    const { dataDir, record } = await createProtected([store])
    const { certificate } = getAuthorityFiles(dataDir)
    expect(await addToStores(dataDir, record, [store])).toEqual([])
    const remains = await removeAuthority(dataDir)
    const remove = ['certutil', '-user', '-delstore', 'Root', expect.stringMatching(/^[0-9A-F]{40}$/)]
    expect(remains).toEqual({ stores: [{ ...store, remove }], keychain: false })
    expect(await inspectAuthority(dataDir)).toMatchObject({
      state: 'incomplete',
      stores: [{ trusted: 'yes' }],
    })
    fs.writeFileSync(path.join(tool.folder, 'may'), '')
    expect(await removeAuthority(dataDir)).toEqual({ stores: [], keychain: false })
    expect(tool.readCalls()).toContain(`-user -addstore Root ${certificate}`)
    expect(tool.readCalls().every((call) => call.startsWith('-user '))).toBe(true)
  },
)
