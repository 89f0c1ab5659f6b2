import tty from 'node:tty'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTable, getStatusColor } from '../../electron/cli/terminal/table.ts'

function printTable(isTTY: boolean, env: Record<string, string>): string {
  const { isTTY: before } = process.stdout
  process.stdout.isTTY = isTTY
  // The output of a test has no such method.
  process.stdout.getColorDepth = tty.WriteStream.prototype.getColorDepth
  for (const [name, value] of Object.entries({
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    TERM: 'xterm',
    ...env,
  }))
    vi.stubEnv(name, value)
  let printed = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text
    return true
  })
  onTestFinished(() => void vi.unstubAllEnvs())
  try {
    const printRows = createTable([{ head: 'STATUS', color: getStatusColor }, { head: 'NAME' }])
    printRows([
      ['200', 'one'],
      ['403', 'two\u001b[31m'],
    ])
    printRows([['500', 'three']])
  } finally {
    spy.mockRestore()
    process.stdout.isTTY = before
  }
  return printed
}

test('a table has heads and colors only at a terminal, and sanitizes its cells', () => {
  expect(printTable(false, {})).toBe('200  one\n403  two\uFFFD[31m\n500  three\n')
  const plain = printTable(true, { NO_COLOR: '1' })
  expect(plain).toBe('STATUS  NAME\n200     one\n403     two\uFFFD[31m\n500     three\n')
  const colored = printTable(true, { FORCE_COLOR: '1' })
  expect(colored).toContain('\u001b[32m200   \u001b[39m  one')
  expect(colored).toContain('\u001b[33m403   \u001b[39m')
  expect(colored).toContain('\u001b[31m500   \u001b[39m')
  expect(printTable(false, { FORCE_COLOR: '1' })).toContain('\u001b[32m200\u001b[39m')
})
