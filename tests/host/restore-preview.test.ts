import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { countDeletedSince } from '../../electron/engine/files/deleted-since.ts'
import { backUpOpenVault } from '../../electron/host/maintenance/back-up.ts'
import { changeProtection } from '../../electron/host/maintenance/change-protection.ts'
import { previewRestore } from '../../electron/host/vault/restore-preview.ts'
import { createEnrollment, directCard } from '../agentic.ts'
import { toFirstFormat } from '../first-format.ts'
import { makeDocument } from '../make-document.ts'
import { startHost } from './start-host.ts'
import { argon2id, copyMaster, createCard, createStoredVault, name, passphrase } from './stored-vault.ts'

const code = { name: 'r', code: 'module.exports = () => ({})' }
const hook = { name: 'w', url: 'https://hooks.example.com', events: ['token.created'] }

test('a restore preview counts the items deleted since the backup, except expired ones', async () => {
  const { dataDir, vault, owner } = await createStoredVault()
  const storeCard = (id?: string) => owner.tokens.create({ ...createCard(), ...(id && { id }) })
  const stays = await storeCard()
  // UTF-16 and UTF-8 order these two differently.
  const odd = [await storeCard('odd-\u{1F511}'), await storeCard('odd-\uFF5E')]
  const gone = await storeCard()
  const short = await owner.tokens.create({
    ...createCard(),
    expires_at: new Date(Date.now() + 60_000).toISOString(),
  })
  const permissions: ['token:read'] = ['token:read']
  const one = await owner.applications.create({ name: 'one', type: 'private', permissions })
  const two = await owner.applications.create({ name: 'two', type: 'private', permissions })
  const proxy = { name: 'p', destination_url: 'https://echo.coffer.test' }
  const forgotten = await owner.proxies.create(proxy)
  await owner.proxies.create(proxy)
  const document = await makeDocument(owner)
  await makeDocument(owner)
  const reactor = await owner.reactors.create(code)
  await owner.reactors.create(code)
  const webhook = await owner.webhooks.create(hook)
  await owner.webhooks.create(hook)
  const clientKey = await owner.clientKeys.create({})
  await owner.clientKeys.create({})
  // This key has expired by the time of the comparison.
  await owner.clientKeys.create({ expires_at: new Date(Date.now() + 60_000).toISOString() })
  const merchant = await owner.merchants.create({ tenant_id: 'self', name: 'gone' })
  await owner.merchants.create({ tenant_id: 'self', name: 'stays' })
  const agent = await owner.agents.create({ name: 'gone' })
  const enrollment = await createEnrollment({ owner }, directCard)
  const { file } = await backUpOpenVault(vault, { dataDir })
  const now = Date.now() + 120_000
  const previewBackup = () => previewRestore({ dataDir, file, with: { passphrase }, open: vault, now })
  expect(await previewBackup()).toEqual({
    vault: name,
    applications: 0,
    keys: 0,
    tokens: 0,
    proxies: 0,
    reactors: 0,
    webhooks: 0,
    documents: 0,
    apple_pay_payments: 0,
    network_tokens: 0,
    google_pay_payments: 0,
    wallet_merchants: 0,
    client_keys: 0,
    merchants: 0,
    agents: 0,
    enrollments: 0,
  })
  await storeCard()
  await owner.proxies.remove({ id: forgotten.id })
  await owner.reactors.remove({ id: reactor.id })
  await owner.webhooks.remove({ id: webhook.id })
  await owner.documents.remove({ id: document })
  await owner.clientKeys.remove({ id: clientKey.key_id })
  await owner.merchants.remove({ tenant_id: 'self', id: merchant.id })
  await owner.agents.remove({ id: agent.id })
  await owner.enrollments.remove({ id: enrollment.id })
  await owner.tokens.remove({ id: gone.id })
  await owner.tokens.remove({ id: short.id })
  await owner.tokens.remove({ id: odd[0]?.id ?? '' })
  await owner.applications.remove({ id: one.id })
  await owner.keys.create({ id: two.id })
  await owner.keys.remove({ id: two.id, keyId: two.keys[0]?.id ?? '' })
  expect(await previewBackup()).toEqual({
    vault: name,
    applications: 1,
    keys: 2,
    tokens: 2,
    proxies: 1,
    reactors: 1,
    webhooks: 1,
    documents: 1,
    apple_pay_payments: 0,
    network_tokens: 0,
    google_pay_payments: 0,
    wallet_merchants: 0,
    client_keys: 1,
    merchants: 1,
    agents: 1,
    enrollments: 1,
  })
  expect((await owner.tokens.get({ id: stays.id })).id).toBe(stays.id)

  // After a change of the master secret, the preview works only if the vault is open in this process.
  await changeProtection(vault, { protection: { passphrase: 'battery staple', argon2id } })
  expect(await previewBackup()).toEqual({
    vault: name,
    applications: 1,
    keys: 2,
    tokens: 2,
    proxies: 1,
    reactors: 1,
    webhooks: 1,
    documents: 1,
    apple_pay_payments: 0,
    network_tokens: 0,
    google_pay_payments: 0,
    wallet_merchants: 0,
    client_keys: 1,
    merchants: 1,
    agents: 1,
    enrollments: 1,
  })
  expect(await previewRestore({ dataDir, file, with: { passphrase }, now })).toBeNull()
  expect(
    await previewRestore({ dataDir: `${dataDir}-elsewhere`, file, with: { passphrase }, now }),
  ).toBeNull()
  const wrong = previewRestore({ dataDir, file, with: { passphrase: 'battery staple' }, now })
  await expect(wrong).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('the window previews a restore, and the restore rejects a weak passphrase', async () => {
  const { window } = startHost()
  await window.host.createVault({ name, protection: { passphrase } })
  const { id } = await window.tokens.create(createCard())
  const { file } = await window.host.backup({})
  await window.tokens.remove({ id })
  const opener = { file, with: { passphrase } }
  expect(await window.host.previewRestore(opener)).toEqual({
    brings_back: {
      vault: name,
      applications: 0,
      keys: 0,
      tokens: 1,
      proxies: 0,
      reactors: 0,
      webhooks: 0,
      documents: 0,
      apple_pay_payments: 0,
      network_tokens: 0,
      google_pay_payments: 0,
      wallet_merchants: 0,
      client_keys: 0,
      merchants: 0,
      agents: 0,
      enrollments: 0,
    },
  })
  const weak = window.host.restore({ ...opener, name: 'then', protection: { passphrase: 'password' } })
  await expect(weak).rejects.toMatchObject({ code: 'invalid' })
  await window.host.restore({ ...opener, name: 'then', protection: { passphrase } })
  expect((await window.tokens.get({ id })).id).toBe(id)
})

test('a restore preview accepts a backup older than proxies, reactors and webhooks', async () => {
  const { dataDir, vault, owner } = await createStoredVault()
  await owner.proxies.create({ name: 'p', destination_url: 'https://echo.coffer.test' })
  await owner.reactors.create(code)
  await owner.webhooks.create(hook)
  await owner.tokens.create(createCard())
  await makeDocument(owner)
  await owner.clientKeys.create({})
  await owner.merchants.create({ tenant_id: 'self', name: 'm' })
  const { database } = vault.files
  const master = copyMaster(vault)
  vault.lock()
  const older = path.join(dataDir, 'older.db')
  fs.copyFileSync(database, older)
  toFirstFormat({ file: older, master })
  const countDeleted = (earlier: string, later: string) => {
    const then = { database: earlier, master }
    return countDeletedSince({ then, today: { database: later, master }, now: Date.now() })
  }
  expect(countDeleted(older, database)).toEqual({
    applications: 0,
    keys: 0,
    tokens: 0,
    proxies: 0,
    reactors: 0,
    webhooks: 0,
    documents: 0,
    apple_pay_payments: 0,
    network_tokens: 0,
    google_pay_payments: 0,
    wallet_merchants: 0,
    client_keys: 0,
    merchants: 0,
    agents: 0,
    enrollments: 0,
  })
  expect(countDeleted(database, older)).toMatchObject({
    tokens: 0,
    proxies: 1,
    reactors: 1,
    webhooks: 1,
    documents: 1,
    apple_pay_payments: 0,
    network_tokens: 0,
    google_pay_payments: 0,
    wallet_merchants: 0,
    client_keys: 1,
    merchants: 1,
    agents: 0,
    enrollments: 0,
  })
})
