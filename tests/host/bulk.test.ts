import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newRecoveryKey } from '../../electron/host/keys/recovery-key.ts'
import type { BulkAction } from '../../shared/schemas/bulk.ts'
import { findBundle } from '../find-bundle.ts'
import { isThorough } from '../thorough.ts'
import { catchProblem, createTempFolder } from '../vault.ts'
import { withoutIds } from '../without-ids.ts'
import { inMemoryVault, passphrase, startHost, storedVault } from './start-host.ts'

async function startBulk(undoMs = 0) {
  const startBulk = startHost({ undoMs })
  const { window } = startBulk
  await window.host.createVault(inMemoryVault)
  const createTokens = async (n: number, more: object = {}) => {
    const ids: string[] = []
    for (let at = 0; at < n; at += 1000) {
      const tokens = Array.from({ length: Math.min(1000, n - at) }, (_, i) => ({
        type: 'token',
        data: `value ${at + i}`,
        ...more,
      }))
      const created = await window.tokens.createMany({ tokens } as never)
      ids.push(...created.ids.flatMap((id) => (id === null ? [] : [id])))
    }
    return ids
  }
  const selectTokens = async (ids: readonly string[]) =>
    (await window.host.selectTokens({ selection: { ids: [...ids] } })).selection
  const changeTokens = async (ids: readonly string[], action: BulkAction, as?: string) =>
    window.host.changeTokens({ selection: await selectTokens(ids), action, ...(as !== undefined && { as }) })
  const countTokens = async () => (await window.tenants.getUsageReport()).total_tokens
  return {
    ...startBulk,
    createTokens,
    selectTokens,
    changeTokens,
    countTokens,
  }
}

/** Resolves when the host reports progress of the job that satisfies the condition. */
async function waitForProgress(
  host: Awaited<ReturnType<typeof startBulk>>['host'],
  isReached: (done: number, total: number) => boolean,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = host.subscribe((event) => {
      if (event.type !== 'progress' || event.job !== 'selected tokens') return
      if (!isReached(event.done, event.total)) return
      stop()
      resolve()
    })
  })
}

test('a bulk change of containers, metadata or expiry records each changed token', async () => {
  const { window, createTokens, changeTokens } = await startBulk()
  const ids = await createTokens(3, { metadata: { keep: 'me' } })
  expect(await changeTokens(ids, { do: 'move', containers: ['/a/', '/b/'] })).toEqual({
    outcome: 'done',
    tokens: 3,
    done: 3,
    refused: [],
  })
  await changeTokens(ids, { do: 'set metadata', key: 'customer', value: 'ada' })
  await changeTokens(ids, { do: 'expire', expires_at: '2199-01-01T00:00:00Z' })
  for (const id of ids) {
    const token = await window.tokens.get({ id })
    expect(token.containers).toEqual(['/a/', '/b/'])
    expect(token.metadata).toEqual({ keep: 'me', customer: 'ada' })
    expect(token.expires_at).toContain('2199')
  }
  await changeTokens(ids, { do: 'remove metadata', key: 'customer' })
  await changeTokens(ids, { do: 'expire', expires_at: null })
  const token = await window.tokens.get({ id: ids[0] ?? '' })
  expect(token.metadata).not.toHaveProperty('customer')
  expect(token.expires_at).toBeUndefined()
  for (const id of ids) {
    const { data } = await window.logs.list({ entity_id: id, size: 50 } as never)
    expect(data.filter(({ action }) => action === 'tokens.update')).toHaveLength(5)
  }
})

test('a report groups rejected tokens by reason and contains no value of a token', async () => {
  const { createTokens, changeTokens, window } = await startBulk()
  const ids = await createTokens(4)
  await window.tokens.remove({ id: ids[1] ?? '' })
  const report = await changeTokens(ids, { do: 'delete' })
  expect(report).toEqual({
    outcome: 'done',
    tokens: 4,
    done: 3,
    refused: [{ reason: 'The tokens no longer exist.', tokens: 1, ids: [ids[1]] }],
  })
  const others = await createTokens(2)
  const rejectedReport = await changeTokens(others, { do: 'expire', expires_at: 'the 4111 of May' })
  expect(rejectedReport).toMatchObject({ outcome: 'done', done: 0, refused: [{ tokens: 2 }] })
  expect(withoutIds(rejectedReport)).not.toContain('4111')
})

const many = isThorough ? 10_000 : 1000

test(`${many} tokens are deleted in steps, between which other writes run`, async () => {
  const { window, host, createTokens, changeTokens, countTokens } = await startBulk()
  const ids = await createTokens(many)
  const keptIds = await createTokens(5)
  let deleted = 0
  const stop = host.subscribe((event) => {
    if (event.type === 'progress' && event.job === 'selected tokens') deleted = event.done
  })
  onTestFinished(stop)
  let running = true
  let written = 0
  // The maximum number of tokens that were deleted during one write.
  let maxDeleted = 0
  const writes = (async () => {
    while (running) {
      const before = deleted
      await window.tokens.create({ type: 'token', data: 'new' } as never)
      maxDeleted = Math.max(maxDeleted, deleted - before)
      written++
    }
  })()
  const report = await changeTokens(ids, { do: 'delete' })
  running = false
  await writes
  expect(report).toMatchObject({ outcome: 'done', done: many, refused: [] })
  expect(await countTokens()).toBe(keptIds.length + written)
  expect(written).toBeGreaterThan(5)
  expect(maxDeleted).toBeLessThan(many / 4)
})

test('a deletion cancelled during the undo period deletes nothing', async () => {
  const { window, host, createTokens, changeTokens, countTokens } = await startBulk(600_000)
  const ids = await createTokens(3)
  const waiting = waitForProgress(host, (done, total) => done === 0 && total === 3)
  const deletion = changeTokens(ids, { do: 'delete' })
  await waiting
  expect(await countTokens()).toBe(3)
  await window.host.cancel({ job: 'selected tokens' })
  expect(await deletion).toEqual({ outcome: 'undone', tokens: 3, done: 0, refused: [] })
  expect(await countTokens()).toBe(3)
})

test('a deletion cancelled while running reports how many tokens it deleted', async () => {
  const { window, host, createTokens, changeTokens, countTokens } = await startBulk()
  const ids = await createTokens(1000)
  const started = waitForProgress(host, (done) => done > 0)
  const deletion = changeTokens(ids, { do: 'delete' })
  await started
  await window.host.cancel({ job: 'selected tokens' })
  const report = await deletion
  expect(report).toMatchObject({ outcome: 'stopped', tokens: 1000, refused: [] })
  expect(report.done).toBeGreaterThan(0)
  expect(await countTokens()).toBe(1000 - report.done)
})

test('a deletion cancelled after its last token is reported as done', async () => {
  const { window, host, createTokens, changeTokens, countTokens } = await startBulk()
  const ids = await createTokens(70)
  const end = waitForProgress(host, (done) => done === ids.length)
  const deletion = changeTokens(ids, { do: 'delete' })
  await end
  await window.host.cancel({ job: 'selected tokens' })
  expect(await deletion).toEqual({ outcome: 'done', tokens: 70, done: 70, refused: [] })
  expect(await countTokens()).toBe(0)
})

test('a deletion continues while the master secret is changed', { tags: 'thorough' }, async () => {
  const { host, window } = startHost({ undoMs: 0 })
  await window.host.createVault(storedVault)
  const tokens = Array.from({ length: 1000 }, () => ({ type: 'token', data: 'x' }))
  const created = await window.tokens.createMany({ tokens } as never)
  const ids = created.ids.flatMap((id) => (id === null ? [] : [id]))
  const { selection } = await window.host.selectTokens({ selection: { ids } })
  const started = waitForProgress(host, (done) => done > 0)
  const deletion = window.host.changeTokens({ selection, action: { do: 'delete' } })
  await started
  await window.host.rotateMaster({ with: { passphrase }, recovery_key: newRecoveryKey() })
  expect(await deletion).toEqual({ outcome: 'done', tokens: 1000, done: 1000, refused: [] })
  expect((await window.tenants.getUsageReport()).total_tokens).toBe(0)
})

test('a vault reset during the undo period cancels the deletion', async () => {
  const { host, window, createTokens, changeTokens, countTokens, selectTokens } = await startBulk(200)
  const ids = await createTokens(3)
  const controls = host.openVault?.controls
  controls?.markInitialState()
  const selection = await selectTokens(ids)
  const waiting = waitForProgress(host, (done, total) => done === 0 && total === 3)
  const deletion = changeTokens(ids, { do: 'delete' })
  await waiting
  controls?.reset()
  expect(await deletion).toMatchObject({ outcome: 'stopped', done: 0 })
  expect(await countTokens()).toBe(3)
  expect(await catchProblem(window.host.selectedIds({ selection }))).toMatchObject({ status: 404 })
})

test('locking or quitting during the undo period cancels the deletion', async () => {
  const { host, window } = startHost({ undoMs: 600_000 })
  await window.host.createVault(storedVault)
  const { id } = (await window.tokens.create({ type: 'token', data: 'x' } as never)) as { id: string }
  const startDeletion = async () => {
    const { selection } = await window.host.selectTokens({ selection: { ids: [id] } })
    const waiting = waitForProgress(host, (done, total) => done === 0 && total === 1)
    const deletion = window.host.changeTokens({ selection, action: { do: 'delete' } })
    await waiting
    return { selection, deletion }
  }
  const { selection, deletion } = await startDeletion()
  await window.host.lock({})
  expect(await deletion).toMatchObject({ outcome: 'undone', done: 0 })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  expect(await window.tokens.get({ id })).toMatchObject({ id })
  // A lock discards the selection.
  expect(await catchProblem(window.host.changeTokens({ selection, action: { do: 'delete' } }))).toMatchObject(
    {
      status: 404,
    },
  )
  // A lock also ends a selection in progress.
  const selecting = catchProblem(window.host.selectTokens({ selection: { all: {}, except: [] } }))
  await window.host.lock({})
  expect(await selecting).toMatchObject({ status: 423 })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  const again = await startDeletion()
  await host.close()
  expect(await again.deletion).toMatchObject({ outcome: 'undone', done: 0 })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  expect(await window.tokens.get({ id })).toMatchObject({ id })
})

test('A-02 a bulk change with a key changes only tokens that the key may change', async () => {
  const { window, createTokens, changeTokens, countTokens } = await startBulk()
  const writableIds = await createTokens(2, { containers: ['/mine/'] })
  const others = await createTokens(3, { containers: ['/others/'] })
  const app = (await window.applications.create({
    name: 'Mine',
    type: 'private',
    rules: [
      {
        description: 'mine',
        priority: 1,
        container: '/mine/',
        transform: 'mask',
        permissions: ['token:delete'],
      },
    ],
  } as never)) as { id: string }
  const report = await changeTokens([...writableIds, ...others], { do: 'delete' }, app.id)
  expect(report).toMatchObject({ outcome: 'done', tokens: 5, done: 2, refused: [{ tokens: 3 }] })
  expect(await countTokens()).toBe(3)
})

test('a selection of all matches leaves out excluded tokens and tokens created later', async () => {
  const { window, createTokens, countTokens } = await startBulk()
  const [spared = ''] = await createTokens(3, { containers: ['/old/'] })
  await createTokens(2, { containers: ['/new/'] })
  const { selection, tokens } = await window.host.selectTokens({
    selection: { all: { container: '/old/' }, except: [spared] },
  })
  expect(tokens).toBe(2)
  await createTokens(1, { containers: ['/old/'] })
  const report = await window.host.changeTokens({ selection, action: { do: 'delete' } })
  expect(report).toMatchObject({ outcome: 'done', tokens: 2, done: 2 })
  expect(await countTokens()).toBe(4)
  expect(await window.tokens.get({ id: spared })).toMatchObject({ id: spared })
})

test('a token with the longest possible id is selected and changed', async () => {
  const { createTokens, changeTokens, countTokens } = await startBulk()
  const id = '\u{1f511}'.repeat(400)
  await createTokens(1, { id })
  expect(await changeTokens([id], { do: 'delete' })).toMatchObject({ outcome: 'done', done: 1, refused: [] })
  expect(await countTokens()).toBe(0)
})

test('export and copy include only selected tokens, and a new selection replaces the old', async () => {
  const { window, createTokens, selectTokens } = await startBulk()
  const ids = await createTokens(5)
  const selectedIds = ids.slice(1, 3)
  const selection = await selectTokens(selectedIds)
  expect(await window.host.selectedIds({ selection })).toEqual({ ids: selectedIds })
  const { text, tokens } = await window.host.exportTokens({ format: 'ndjson', selection })
  expect(tokens).toBe(2)
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ id }) => id)).toEqual(selectedIds)
  expect(text).not.toContain('value 1')
  const { vault } = await window.host.status()
  const confirm = { vault: vault?.name ?? '' }
  const clear = await window.host.exportTokens({ format: 'ndjson', selection, confirm })
  expect(clear.text).toContain('value 1')
  await selectTokens(ids)
  for (const request of [
    window.host.selectedIds({ selection }),
    window.host.exportTokens({ format: 'csv', selection }),
  ]) {
    expect(await catchProblem(request)).toMatchObject({ status: 404 })
  }
  expect(await catchProblem(window.host.selectedIds({ selection: randomUUID() }))).toMatchObject({
    status: 404,
  })
})

test('X-24 after a kill during a deletion, the log lists exactly the deleted tokens', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const child = fork(findBundle('bulk-child'), [dataDir], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  child.on('message', (done) => {
    if (done === 'done' || Number(done) > 0) child.kill('SIGKILL')
  })
  await ended
  const { window } = startHost({ dataDir })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  const { total_tokens } = await window.tenants.getUsageReport()
  const deletedCount = 1000 - total_tokens
  expect(deletedCount).toBeGreaterThan(0)
  expect(deletedCount).toBeLessThan(1000)
  const { data } = await window.logs.list({ action: 'tokens.remove', size: 1000 })
  const recorded = new Set(data.map(({ entity_id }) => entity_id))
  expect(recorded.size).toBe(deletedCount)
})
