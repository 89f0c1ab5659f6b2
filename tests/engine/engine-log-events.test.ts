import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../electron/engine/engine.ts'
import type { WrittenLogRecord } from '../../electron/engine/pipeline/records.ts'
import { catchProblem, createTempFolder, createTestClient } from '../vault.ts'

test('O-05 records are delivered once they are on disk, in the order of the log', async () => {
  const delivered: WrittenLogRecord[] = []
  const file = path.join(createTempFolder(), 'vault.db')
  const vault = { tenant_id: randomUUID(), name: 'Test' }
  const engine = Engine.create(file, randomBytes(32), vault, {
    onLog: (records) => delivered.push(...records),
  })
  onTestFinished(() => engine.close())
  const owner = createTestClient(() => engine, { kind: 'owner' })
  const { id, key } = await owner.applications.create({
    name: 'Reader',
    type: 'private',
    permissions: ['token:read'],
  })
  const reader = createTestClient(() => engine, { kind: 'key', key: key as string })
  await catchProblem(reader.tokens.create({ type: 'token', data: 'x' }))
  await reader.tokens.list()
  engine.outcomes.flushLog()
  expect(delivered.map(({ operation, status, actor_id }) => [operation, status, actor_id])).toEqual([
    ['applications.create', 201, null],
    ['tokens.create', 403, id],
    ['tokens.list', 200, id],
  ])
  const places = delivered.map(({ seq }) => seq)
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
})

test('O-05 many records of reads are delivered before the timer fires', async () => {
  let delivered = 0
  const file = path.join(createTempFolder(), 'vault.db')
  const vault = { tenant_id: randomUUID(), name: 'Test' }
  const engine = Engine.create(file, randomBytes(32), vault, {
    onLog: (records) => (delivered += records.length),
  })
  onTestFinished(() => engine.close())
  const owner = createTestClient(() => engine, { kind: 'owner' })
  const { key } = await owner.applications.create({
    name: 'Reader',
    type: 'private',
    permissions: ['token:read'],
  })
  const [before, reads] = [delivered, 2000]
  const caller = { kind: 'key', key: key as string } as const
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await Promise.all(Array.from({ length: reads }, () => engine.call('tokens.list', {}, caller)))
  while (delivered - before < reads) await turn()
})
