import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import { restoreVault } from '../../electron/host/vault/restore-vault.ts'
import { isSigned, type ReceivedDelivery, startReceiver } from '../http/start-webhooks.ts'
import { waitFor } from '../wait-for.ts'
import { passphrase, startHost as startEmptyHost, storedVault } from './start-host.ts'

const argon2id = { memory_kib: 64, iterations: 1, parallelism: 1 }
const token = { type: 'token', data: 'x' }

/** Starts a host with a stored vault and a webhook, and a receiver of its events. */
async function startWebhookHost(status?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(status)
  const { host, window, dataDir } = startEmptyHost()
  const { recovery_key } = await window.host.createVault(storedVault)
  const { id } = await window.webhooks.create({
    name: 'Shop',
    url: receiver.url,
    events: ['token.created'],
  })
  const requireEngine = () => {
    const open = host.getEngine()
    if (!open) throw new Error('locked')
    return open
  }
  return {
    receiver,
    host,
    window,
    dataDir,
    recovery_key: String(recovery_key),
    webhook_id: id,
    requireEngine,
  }
}

test('W-03 webhooks and their signing key are unchanged by every key change', async () => {
  const { receiver, window, requireEngine, webhook_id } = await startWebhookHost()
  const page = await requireEngine().outbox.getPublicKeys()
  const ids: string[] = []
  const deliverToken = async () => {
    ids.push((await window.tokens.create(token)).id)
    await waitFor(() => expect(receiver.listTokenIds()).toEqual(ids))
    // Waits until the delivery is recorded, because otherwise it would be sent again after a lock.
    await waitFor(async () =>
      expect(await window.webhooks.getHealth({ id: webhook_id })).toMatchObject({ waiting: 0 }),
    )
    expect(isSigned(receiver.arrived.at(-1) as ReceivedDelivery, page)).toBe(true)
    expect(await requireEngine().outbox.getPublicKeys()).toBe(page)
  }
  await deliverToken()
  await window.host.rotateDataKey()
  await deliverToken()
  const { recovery_key } = await window.host.draftRecoveryKey({})
  await window.host.rotateMaster({ with: { passphrase }, recovery_key })
  await deliverToken()
  await window.host.changeProtection({
    with: { passphrase },
    protection: { passphrase: 'battery staple' },
  })
  await deliverToken()
  await window.host.newRecoveryKey({
    with: { passphrase: 'battery staple' },
    recovery_key: (await window.host.draftRecoveryKey({})).recovery_key,
  })
  await deliverToken()
  await window.host.lock()
  await window.host.unlock({ name: 'work', with: { passphrase: 'battery staple' } })
  await deliverToken()
})

test('W-02 a restored vault delivers the pending events of its backup', async () => {
  let isUp = false
  const { receiver, window, requireEngine, dataDir, recovery_key } = await startWebhookHost(() =>
    isUp ? 200 : 503,
  )
  const page = await requireEngine().outbox.getPublicKeys()
  const { id } = await window.tokens.create(token)
  await waitFor(() => expect(receiver.arrived.length).toBeGreaterThan(0))
  const { file } = await window.host.backup({})
  await window.host.lock()
  const before = receiver.arrived.length
  isUp = true
  const elsewhere = path.join(dataDir, '..', 'elsewhere')
  const vault = await restoreVault({
    file,
    dataDir: elsewhere,
    name: 'work',
    with: { recovery_key },
    protection: { passphrase, argon2id },
  })
  vault.lock()
  const host = new Host({ version: '0', shell: 'console', dataDir: elsewhere, autoLock: false })
  onTestFinished(() => host.close())
  await runCommand(host, { name: 'host.unlock', input: { name: 'work', with: { passphrase } } })
  await waitFor(() => expect(receiver.arrived.length).toBe(before + 1))
  const last = receiver.arrived.at(-1) as ReceivedDelivery
  expect(last.body.event).toMatchObject({
    id: receiver.arrived[0]?.body.event.id,
    data: { token: { id } },
  })
  expect(isSigned(last, page)).toBe(true)
})

test('W-02 a delivery interrupted by a lock is sent again after the unlock', async () => {
  let respond: (status: number) => void = () => {}
  const { receiver, window, host, webhook_id } = await startWebhookHost(
    () =>
      new Promise((resolve) => {
        respond = resolve
      }),
  )
  await window.tokens.create(token)
  await window.tokens.create(token)
  await waitFor(() => expect(receiver.arrived).toHaveLength(1))
  await window.host.lock()
  expect(host.getEngine()).toBeNull()
  respond(200)
  await window.host.unlock({ name: 'work', with: { passphrase } })
  await waitFor(() => expect(receiver.arrived).toHaveLength(2))
  respond(200)
  await waitFor(() => expect(receiver.arrived).toHaveLength(3))
  respond(200)
  const [first, again, next] = receiver.arrived.map(({ body }) => body.event.id)
  expect(again).toBe(first)
  expect(next).not.toBe(first)
  await waitFor(async () =>
    expect(await window.webhooks.getHealth({ id: webhook_id })).toMatchObject({ waiting: 0, failures: 0 }),
  )
  expect((await window.host.incidents()).incidents).toEqual([])
})
