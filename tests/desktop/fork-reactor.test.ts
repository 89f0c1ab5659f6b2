import { expect, onTestFinished, test, vi } from 'vitest'
import { ReactorPool } from '../../electron/code-runner/pool.ts'
import { forkUtility } from '../../electron/main/fork-reactor.ts'
import { withBuiltRunner } from '../built-runner.ts'
import { Utility, type UtilityOptions } from './stand-in-utility.ts'

const electron = vi.hoisted(() => ({ honours: true }))

vi.mock('electron', () => ({
  utilityProcess: {
    fork(file: string, args: string[], { execArgv, ...options }: UtilityOptions) {
      const kept = electron.honours
        ? execArgv
        : execArgv.filter((each) => !/^--(permission|allow)/.test(each))
      const [runner = file] = withBuiltRunner([file])
      return new Utility(runner, args, { ...options, execArgv: withBuiltRunner(kept) })
    },
  },
}))

const run = {
  owner: 'reactor',
  caller: null,
  code: 'module.exports = (req) => req.args',
  args: '[1]',
  configuration: {},
  application: null,
  limit_ms: 30_000,
  contract: { image: 'node-bt', role: 'reactor' },
} as const

test('F-02 Electron’s processes run reactors only if they enforce permissions', async () => {
  const pool = new ReactorPool({ packagesDir: null, fork: forkUtility })
  onTestFinished(() => pool.close())
  expect((await pool.run(run)).ended).toEqual({ kind: 'returned', value: '[1]' })
  const endless = { ...run, code: 'module.exports = () => { for (;;); }', limit_ms: 200 }
  expect((await pool.run(endless)).ended).toMatchObject({ kind: 'failed', reason: 'time' })
  electron.honours = false
  // The first pool has spare processes that still enforce permissions, so use a new pool.
  const later = new ReactorPool({ packagesDir: null, fork: forkUtility })
  onTestFinished(() => later.close())
  expect((await later.run(run)).ended).toMatchObject({
    kind: 'failed',
    reason: 'start',
    detail: expect.stringContaining('permission model'),
  })
})
