import { expect, test } from 'vitest'
import { refuseInexact } from '../../shared/code-args.ts'
import { readJson } from '../../shared/json.ts'
import { longestBlock, mostBlock } from '../longest-block.ts'
import { problemOf } from '../vault.ts'

test('R-03 A-14 a megabyte of numbers that code cannot have is refused in a moment, however deep, with 50 of their places', async () => {
  const depth = 58
  const numbers = Array(45_000).fill('12345678901234567890').join(',')
  const args = readJson(`${'{"name":'.repeat(depth)}[${numbers}]${'}'.repeat(depth)}`)
  const { result, block } = await longestBlock(() => problemOf((async () => refuseInexact(args, 'args'))()))
  expect(Object.keys(result.errors ?? {})).toHaveLength(50)
  expect(block).toBeLessThan(mostBlock(block))
})
