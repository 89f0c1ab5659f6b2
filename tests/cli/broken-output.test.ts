import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { builtCli } from './run-coffer.ts'

const run = (program: string) => `"${process.execPath}" --disable-warning=ExperimentalWarning "${program}"`

const shell = (line: string) => spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: 60_000 })

test.runIf(process.platform !== 'win32')('a reader that has enough ends a command without a word', () => {
  const { stdout, stderr } = shell(`${run(builtCli)} export-openapi | head -c 1`)
  expect([stdout, stderr]).toEqual(['{', ''])
})

test.runIf(process.platform === 'linux')('output that cannot be written is one sentence', () => {
  const { status, stderr } = shell(`${run(builtCli)} man > /dev/full`)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^coffer: The output cannot be written: the disk is full\. .*\n$/)
})
