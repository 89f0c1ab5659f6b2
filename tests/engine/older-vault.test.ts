import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { toFirstFormat } from '../first-format.ts'
import { openVault } from '../vault.ts'

const code = 'module.exports = (req) => ({ raw: req.args })'
const hook = { name: 'hook', url: 'http://localhost:3000', events: ['token.created'] }

/** Creates a vault with a token and an application, converts it to an older `format`, and opens it. */
async function openOlderVault(format: number) {
  const vault = openVault()
  const token = await vault.owner.tokens.create({ type: 'token', data: 'kept' })
  const rules = [
    { priority: 1, container: '/', transform: 'reveal' as const, permissions: ['token:read' as const] },
  ]
  const application = await vault.application({ rules })
  vault.engine.close()
  toFirstFormat(vault)
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  migrateDatabase(db, migrations.slice(0, format))
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  expect(tables).not.toEqual(expect.arrayContaining(['reactor']))
  expect(tables).not.toEqual(expect.arrayContaining(['webhook']))
  db.close()
  vault.reopen()
  return { vault, token, application }
}

for (const format of [1, 5, 11]) {
  test(`F-01, W-01 a vault of format ${format} is migrated and keeps its contents`, async () => {
    const { vault, token, application } = await openOlderVault(format)
    const { owner } = vault
    expect((await application.client.tokens.get({ id: token.id })).data).toBe('kept')
    expect((await owner.reactors.list({})).data).toEqual([])
    expect((await owner.webhooks.list({})).data).toEqual([])
    const acts = { id: application.id }
    const configuration = { SECRET: 'shh' }
    const reactor = await owner.reactors.create({ name: 'echo', code, application: acts, configuration })
    const webhook = await owner.webhooks.create(hook)
    const { id } = await owner.tokens.create({ type: 'token', data: 'told' })
    vault.engine.identification.recordElementUse(
      vault.engine.identification.identifyKey(application.key),
      'http://localhost:3000',
    )
    vault.reopen()
    expect(await owner.stats.elements({ application_id: application.id })).toMatchObject([
      { origin: 'http://localhost:3000' },
    ])
    expect(await owner.reactors.get({ id: reactor.id })).toEqual(reactor)
    expect(await owner.webhooks.get({ id: webhook.id })).toEqual(webhook)
    const [due] = vault.engine.outbox.takeDueDeliveries(10)
    expect(due).toMatchObject({
      webhook_id: webhook.id,
      event: { type: 'token.created', data: { token: { id } } },
    })
  })
}
