import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ListenerSwitch } from '../../electron/host/listener-switch.ts'

test('an error in loading the listener is reported only when the listener is turned on', async () => {
  vi.doMock('../../electron/http/listener.ts', () => {
    throw new Error('no such file')
  })
  onTestFinished(() => void vi.doUnmock('../../electron/http/listener.ts'))
  const unhandled: unknown[] = []
  const recordError = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', recordError)
  onTestFinished(() => void process.off('unhandledRejection', recordError))
  const reported: unknown[] = []
  const served = {
    report: ({ cause }: Error, where: string) => reported.push([where, (cause as Error).cause]),
  }
  const listener = new ListenerSwitch(served as never, () => {})
  await expect(import('../../electron/http/listener.ts')).rejects.toThrow()
  await turn()
  expect(unhandled).toEqual([])
  expect(await listener.turnOn({ port: 0, origins: [], hosts: [] })).toMatchObject({ state: 'refused' })
  expect(reported).toEqual([['listener', new Error('no such file')]])
})
