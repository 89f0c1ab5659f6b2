import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { owner } from '../../electron/engine/pipeline/call.ts'
import { type ControlSession, openSessions } from '../../electron/host/control/control-session.ts'
import { openControlSocket } from '../../electron/host/control/serve-control.ts'
import { listSockets } from '../../electron/host/control/socket-folder.ts'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { inMemoryVault, passphrase, startHost, storedVault } from './start-host.ts'

const unix = test.runIf(process.platform !== 'win32')

/** Starts a host like the window's, and connects a command to it. */
async function startConnected(vault: typeof storedVault | typeof inMemoryVault = inMemoryVault) {
  const started = startHost({ dataDir: path.join(createTempFolder(), 'd') })
  const close = await openControlSocket(started.host)
  onTestFinished(close)
  await started.window.host.createVault({ ...vault, sample_data: false })
  const openSession = async (): Promise<ControlSession> => {
    const { sessions, problems } = await openSessions(started.dataDir)
    expect([sessions.length, problems]).toEqual([1, []])
    const [session] = sessions as [ControlSession]
    onTestFinished(() => session.close())
    return session.startSession('0.0.0')
  }
  return { ...started, openSession, session: await openSession() }
}

unix("a command's changes and import appear in the window, which can stop the import", async () => {
  const { host, events, session } = await startConnected()
  await session.as(owner).tokens.createMany({
    tokens: [{ id: 'beside', type: 'token', data: 1 }],
    made_ids: [randomUUID()],
    dry_run: false,
  })
  await waitFor(() =>
    expect(events.flatMap((event) => (event.type === 'changes' ? event.changes : []))).toContainEqual({
      entity: 'token',
      kind: 'created',
      ids: ['beside'],
    }),
  )
  session.announceWork('import', 10, 100)
  await waitFor(() =>
    expect(events).toContainEqual({ type: 'progress', job: 'import', done: 10, total: 100 }),
  )
  expect(host.jobs.running).toEqual(['import'])
  // The owner stops the import in the window. The command is notified, and the job is listed until the command ends.
  const stopped = new Promise<void>((resolve) => {
    session.onStop = resolve
  })
  host.jobs.cancelJob('import')
  await stopped
  expect(host.jobs.running).toEqual(['import'])
  session.close()
  await host.jobs.waitUntilIdle()
})

unix('X-64 a command fails once its vault is locked, even if another vault is open', async () => {
  const { window, openSession, session } = await startConnected(storedVault)
  expect(await session.as(owner).applications.list()).toMatchObject({ data: expect.any(Array) })
  await window.host.lock()
  await expect(session.as(owner).applications.list()).rejects.toThrow(
    /was locked in .* Run the command again/,
  )
  await window.host.unlock({ name: storedVault.name, with: { passphrase } })
  await expect(session.as(owner).applications.list()).rejects.toThrow(/was locked in/)
  const again = await openSession()
  await window.host.createVault({ ...inMemoryVault, sample_data: false })
  await expect(again.as(owner).applications.list()).rejects.toThrow(/was locked in/)
  await expect(again.call('host.backup', {})).rejects.toThrow(/was locked in/)
})

unix('X-64 a borrowed key has the rights of its application until the command disconnects', async () => {
  const { host, session } = await startConnected(storedVault)
  const { data } = await session.as(owner).applications.list()
  const [browser] = data.filter(({ type }) => type === 'public')
  const key = await session.borrowKey(browser?.id ?? '')
  const identifyBorrowed = () => host.openVault?.engine.identification.identifyKey(key)
  expect(identifyBorrowed()?.actor).toMatchObject({ id: browser?.id, type: 'public', key_id: null })
  session.close()
  await waitFor(() => expect(identifyBorrowed).toThrow(/key is missing, unknown, deleted or expired/))
})

unix('a command rejects its pending calls when Coffer exits', async () => {
  const { host, session, dataDir } = await startConnected()
  const { greeting } = session
  host.lock()
  await expect(session.as(owner).applications.list()).rejects.toThrow(
    /An in-memory vault is deleted when it is locked/,
  )
  expect(greeting.vault).toMatchObject({ in_memory: true, name: 'in-memory' })
  const { sessions } = await openSessions(dataDir)
  expect(sessions.map((each) => each.greeting.vault)).toEqual([null])
  for (const each of sessions) each.close()
  await expect(sessions[0]?.call('control.lent', {})).rejects.toThrow('The connection was closed')
})

unix('X-66 programs that send no hello do not keep out a command', async () => {
  const { dataDir, session, openSession } = await startConnected()
  const [file = ''] = await listSockets(dataDir)
  const silent = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const socket = net.connect(file).on('error', () => {})
      onTestFinished(() => void socket.destroy())
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return socket
    }),
  )
  for (const each of [session, await openSession()])
    expect(await each.as(owner).applications.list()).toMatchObject({ data: expect.any(Array) })
  await waitFor(() => expect(silent.filter((socket) => !socket.closed).length).toBeLessThan(32))
})

unix('a command that disconnects before its hello does not prevent Coffer from exiting', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const dataDir = path.join(createTempFolder(), 'd')
  const close = await openControlSocket(startHost({ dataDir }).host)
  onTestFinished(close)
  const [file] = await listSockets(dataDir)
  const before = vi.getTimerCount()
  const socket = net.connect(file as string)
  await once(socket, 'data')
  expect(vi.getTimerCount()).toBe(before + 1)
  socket.destroy()
  while (vi.getTimerCount() > before) await nextTurn()
})
