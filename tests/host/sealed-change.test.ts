import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ControlSession, openSessions } from '../../electron/host/control/control-session.ts'
import { offerChangeKey, sealChange } from '../../electron/host/control/sealed-change.ts'
import { openControlSocket } from '../../electron/host/control/serve-control.ts'
import { getControlFolder } from '../../electron/host/control/socket-folder.ts'
import { computeCredentialDigest, readHeader } from '../../electron/host/files/header.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import type { Credential } from '../../electron/host/keys/credential.ts'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import type { KeyChange } from '../../electron/host/maintenance/key-change.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { captureCrashImages } from './crash-images.ts'
import { passphrase, startHost, storedVault } from './start-host.ts'

const unix = test.runIf(process.platform !== 'win32')
const { name } = storedVault
const next = 'battery staple horse correct'
const toNext: KeyChange = { change: 'protection', protection: { passphrase: next } }

/** Starts a host with an open vault, and connects a command that has its master secret. */
async function startHolder() {
  const started = startHost({ dataDir: path.join(createTempFolder(), 'd') })
  const { host, dataDir } = started
  onTestFinished(await openControlSocket(host))
  await started.window.host.createVault({ ...storedVault, sample_data: false })
  const session = await connectCommand(dataDir)
  const master = host.openVault?.withMaster((secret) => Buffer.from(secret)) ?? Buffer.alloc(0)
  const { header } = getVaultFiles(dataDir, name)
  const from = computeCredentialDigest(readHeader(header))
  const { vault_id } = readHeader(header)
  const exchange = { master, nonce: session.greeting.nonce, vault_id }
  const sealForHost = async (change = toNext) =>
    sealChange(exchange, await session.fetchChangeOffer(master), { from, change })
  return { ...started, folder: path.join(dataDir, name), session, exchange, from, sealForHost }
}

async function connectCommand(dataDir: string): Promise<ControlSession> {
  const { sessions } = await openSessions(dataDir)
  const [session] = sessions as [ControlSession]
  onTestFinished(() => session.close())
  return session.startSession('0.0.0')
}

async function canOpen(vaultFolder: string, credential: Credential): Promise<boolean> {
  const copy = path.join(createTempFolder(), 'd')
  fs.cpSync(vaultFolder, path.join(copy, name), { recursive: true })
  const vault = await openVault({ dataDir: copy, name, with: credential }).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'unauthenticated' })
    return null
  })
  vault?.lock()
  return vault !== null
}

unix('X-64 a change of keys crosses the socket without the passphrase and the recovery key', async () => {
  const { folder, session, sealForHost } = await startHolder()
  const recovery_key = newRecoveryKey()
  const sealed = await sealForHost({ change: 'master', protection: { passphrase: next }, recovery_key })
  for (const secret of [next, recovery_key])
    for (const form of [secret, Buffer.from(secret).toString('base64')])
      expect(JSON.stringify(sealed)).not.toContain(form)
  await session.call('control.change', sealed)
  for (const credential of [{ passphrase: next }, { recovery_key }])
    expect(await canOpen(folder, credential)).toBe(true)
  expect(await canOpen(folder, { passphrase })).toBe(false)
})

unix('X-64 a change that was altered, repeated, or sealed without the master secret is refused', async () => {
  const { dataDir, folder, session, exchange, from, sealForHost } = await startHolder()
  const flipLastBit = (text: string) => {
    const bytes = Buffer.from(text, 'base64')
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
    return bytes.toString('base64')
  }
  const { offer } = offerChangeKey(exchange)
  const other = await connectCommand(dataDir)
  const createForgedChange = async () =>
    sealChange({ ...exchange, master: randomBytes(32) }, await session.fetchChangeOffer(exchange.master), {
      from,
      change: toNext,
    })
  const refused = [
    sealChange(exchange, offer, { from, change: toNext }),
    sealForHost().then((sealed) => ({ ...sealed, sealed: flipLastBit(sealed.sealed) })),
    sealForHost().then((sealed) => ({ ...sealed, public_key: flipLastBit(sealed.public_key) })),
    createForgedChange(),
  ]
  for (const sealed of refused)
    await expect(session.call('control.change', await sealed)).rejects.toMatchObject({ code: 'forbidden' })
  const sealed = await sealForHost()
  await other.fetchChangeOffer(exchange.master).catch(() => {})
  await expect(other.call('control.change', sealed)).rejects.toMatchObject({ code: 'forbidden' })
  await session.call('control.change', sealed)
  await expect(session.call('control.change', sealed)).rejects.toMatchObject({ code: 'forbidden' })
  expect(await canOpen(folder, { passphrase: next })).toBe(true)
})

unix('X-64 a change that was prepared before another change is refused', async () => {
  const { folder, session, sealForHost } = await startHolder()
  await session.call('control.change', await sealForHost({ ...toNext, keepMaster: true }))
  for (const change of [
    { change: 'master', protection: { passphrase }, recovery_key: newRecoveryKey() },
    { change: 'protection', protection: { passphrase } },
    { change: 'recovery key', protection: 'keepMaster', recovery_key: newRecoveryKey() },
  ] as const) {
    await expect(session.call('control.change', await sealForHost(change))).rejects.toMatchObject({
      code: 'conflict',
      message:
        'The credentials of the vault were changed after this command started, so it changed nothing. Run it again.',
    })
  }
  expect(await canOpen(folder, { passphrase: next })).toBe(true)
  expect(await canOpen(folder, { passphrase })).toBe(false)
})

unix('X-64 nothing is sealed to a program that does not have the master secret', async () => {
  const dataDir = path.join(createTempFolder(), 'd')
  const folder = getControlFolder(dataDir)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const nonce = 'n'.repeat(32)
  const { offer } = offerChangeKey({ master: randomBytes(32), nonce })
  let received = ''
  const server = net.createServer((socket) => {
    const greeting = { protocol: 1, version: '0.0.0', pid: 1, command: 'coffer serve', url: null, nonce }
    socket.write(`${JSON.stringify({ ...greeting, vault: null })}\n`)
    socket.on('data', (chunk) => {
      received += chunk
      if (received.includes('control.offer'))
        socket.write(`${JSON.stringify({ id: 1, reply: { ok: true, output: offer, headers: {} } })}\n`)
    })
  })
  const file = path.join(folder, 'a.sock')
  await new Promise<void>((resolve) => server.listen(file, resolve))
  onTestFinished(() => void server.close())
  fs.chmodSync(file, 0o600)
  const session = await connectCommand(dataDir)
  await expect(session.fetchChangeOffer(randomBytes(32))).rejects.toMatchObject({
    code: 'conflict',
    message:
      'coffer serve (process 1) does not have the master secret that vault.json leads to. Nothing was changed. Stop that process, and run the command again.',
  })
  expect(received).not.toContain('control.change')
})

unix('X-24 after a crash during a change over the socket, the old or the new passphrase opens', async () => {
  const { folder, session, sealForHost } = await startHolder()
  const sealed = await sealForHost()
  const images = await captureCrashImages(folder, (take) => session.call('control.change', sealed, take))
  const opened = []
  for (const image of pickSome(images, 6)) {
    const by = [await canOpen(image, { passphrase }), await canOpen(image, { passphrase: next })]
    opened.push(by.map((is, at) => (is ? ['old', 'new'][at] : '')).join(''))
  }
  expect(opened.join(' ')).toMatch(/^(old )+(oldnew )+(new ?)+$/)
})

unix('a command that disconnects during a change leaves the old passphrase valid', async () => {
  const { host, folder, session, sealForHost } = await startHolder()
  const { promise: progressed, resolve } = Promise.withResolvers<void>()
  host.subscribe((event) => {
    if (event.type !== 'progress' || event.job !== 'rotate master') return
    session.close()
    resolve()
  })
  await expect(session.call('control.change', await sealForHost())).rejects.toMatchObject({
    code: 'unavailable',
  })
  await progressed
  await host.jobs.waitUntilIdle()
  const opens = [await canOpen(folder, { passphrase }), await canOpen(folder, { passphrase: next })]
  expect(opens).toEqual([true, false])
})
