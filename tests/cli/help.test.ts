import type { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { withoutJson } from '../../electron/cli/commands/about.ts'
import { formatCommandLine } from '../../electron/cli/hint.ts'
import { buildProgram } from '../../electron/cli/program.ts'
import { toCommandNode } from '../../electron/cli/terminal/command-tree.ts'
import { wrapHelp } from '../../electron/cli/terminal/wrap-help.ts'
import { runCommandLine } from './in-process.ts'

const listHelp = (program = buildProgram('1.2.3')) =>
  [program, ...program.commands.flatMap((each) => [each, ...each.commands])].map(
    (each) => toCommandNode(each).help,
  )

test.each([40, 60, 80, 120])('help fits a terminal of %i columns, except for long words', (width) => {
  for (const help of listHelp()) {
    for (const line of wrapHelp(help, width).split('\n')) {
      const [first = '', ...others] = line.trim().split(' ')
      const isOneWord = others.length === 0
      expect(isOneWord || line.length <= width, `${first} … in: ${line}`).toBe(true)
    }
  }
})

test('every command has --json, or says in its help why not', async () => {
  const listLeaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves)
  const leaves = listLeaves(buildProgram('1.2.3'))
  const without = leaves.filter(({ options }) => !options.some(({ long }) => long === '--json'))
  expect(without.map((each) => each.name()).toSorted()).toEqual(Object.keys(withoutJson).toSorted())
  for (const each of without)
    expect(toCommandNode(each).help).toContain(`There is no --json. ${withoutJson[each.name()]}`)
})

test('wrapping help keeps the order of words and the table columns', () => {
  for (const help of listHelp()) {
    expect(wrapHelp(help, 40).split(/\s+/)).toEqual(help.split(/\s+/))
  }
  expect(wrapHelp('Two\nlines.\n\nTable:\n  a   one two three\n  bb  four', 14)).toBe(
    'Two lines.\n\nTable:\n  a   one two\n      three\n  bb  four',
  )
})

test('help is wrapped to the width of a narrow terminal', async () => {
  const { columns } = process.stdout
  process.stdout.columns = 50
  onTestFinished(() => {
    process.stdout.columns = columns
  })
  const { out } = await runCommandLine('verify', '--help')
  expect(out).toContain('Usage: coffer verify')
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
})

test('a printed command is quoted for a shell', () => {
  expect(formatCommandLine(['sh', '-c', 'echo "a b" <in'])).toBe(`sh -c 'echo "a b" <in'`)
  expect(formatCommandLine('npm test && true')).toBe('npm test && true')
})
