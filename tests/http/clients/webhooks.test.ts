import { BasisTheoryClient } from '@basis-theory/node-sdk'
import { BasisTheoryClient as BasisTheoryClient2 } from 'basis-theory-node-sdk-2'
import { expect, test } from 'vitest'
import { eventTypes } from '../../../shared/webhook-events.ts'
import { awaitRejection, startClientServer } from './start.ts'

const hook = { name: 'Hook', url: 'https://hooks.example.com/in', events: ['token.created'] }

test('W-01 node-sdk 5 and 2: webhooks are created, listed, replaced and deleted', async () => {
  const { url, vault } = await startClientServer()
  const permissions = ['create', 'read', 'update', 'delete'].map((each) => `webhooks:${each}`)
  const { key: apiKey, id: application } = await vault.application({ type: 'management', permissions })
  const clients = [
    new BasisTheoryClient({ apiKey, environment: url, maxRetries: 0 }),
    new BasisTheoryClient2({ apiKey, baseUrl: url }),
  ]
  for (const { webhooks } of clients) {
    const created = await webhooks.create({ ...hook, notifyEmail: 'dev@example.com' })
    expect(created).toMatchObject({ ...hook, status: 'enabled', createdBy: application })
    expect(await webhooks.get(created.id)).toEqual(created)
    expect((await webhooks.list()).data).toEqual([created])
    const changed = await webhooks.update(created.id, { ...hook, name: 'Renamed', events: ['token.deleted'] })
    expect(changed).toMatchObject({ id: created.id, name: 'Renamed', events: ['token.deleted'] })
    expect(await webhooks.events.list()).toEqual(eventTypes)
    await webhooks.ping()
    await webhooks.delete(created.id)
    expect(await awaitRejection(webhooks.get(created.id))).toMatchObject({ statusCode: 404 })
    expect(await awaitRejection(webhooks.create({ ...hook, events: ['no.event'] }))).toMatchObject({
      statusCode: 400,
    })
  }
})
