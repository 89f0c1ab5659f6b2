import fs from 'node:fs'
import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'

const formatContent = (text: string) => JSON.stringify({ body: text })

test('the newest 50 sent requests are stored encrypted and not logged', async () => {
  const vault = openVault()
  const { owner } = vault
  for (let n = 0; n < 55; n++)
    await owner.drafts.save({ kind: 'sent', content: formatContent(`secret-${n}`) })
  const { data } = await owner.drafts.list({ kind: 'sent' })
  expect([data.length, data[0]?.content, data.at(-1)?.content]).toEqual([
    50,
    formatContent('secret-54'),
    formatContent('secret-5'),
  ])
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  const stored = db.prepare('SELECT content FROM draft').pluck().all() as Buffer[]
  db.close()
  expect(Buffer.concat(stored).includes('secret')).toBe(false)
  expect(fs.readFileSync(vault.file).includes('secret-54')).toBe(false)
  expect((await owner.logs.list({ q: 'drafts' })).data).toEqual([])
  expect(await owner.drafts.forget()).toEqual({ forgotten: 50 })
})

test('saved requests can be replaced, deleted and re-encrypted, and their number is limited', async () => {
  const { owner, engine, master } = openVault()
  const { id } = await owner.drafts.save({ kind: 'saved', content: formatContent('one') })
  await owner.drafts.save({ id, kind: 'saved', content: formatContent('two') })
  await engine.lifecycle.rotateDataKey(master)
  expect(await owner.drafts.list({ kind: 'saved' })).toMatchObject({
    data: [{ id, content: formatContent('two') }],
  })
  expect((await catchProblem(owner.drafts.save({ id, kind: 'environment', content: '{}' }))).code).toBe(
    'not_found',
  )
  await owner.drafts.remove({ id })
  expect((await catchProblem(owner.drafts.remove({ id }))).code).toBe('not_found')
  for (let n = 0; n < 200; n++) await owner.drafts.save({ kind: 'environment', content: '{}' })
  expect((await catchProblem(owner.drafts.save({ kind: 'environment', content: '{}' }))).code).toBe(
    'unprocessable',
  )
})

test('no application can read the requests of the owner', async () => {
  const vault = openBriefVault()
  const { key } = await vault.application({ permissions: ['token:read'] })
  for (const name of ['list', 'save', 'remove', 'forget']) {
    await expect(vault.engine.call(`drafts.${name}`, {}, { kind: 'key', key })).rejects.toMatchObject({
      code: 'forbidden',
    })
  }
})
