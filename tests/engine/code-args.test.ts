import { expect, test } from 'vitest'
import { assertExactNumbers } from '../../shared/code-args.ts'
import { readJson } from '../../shared/json.ts'
import { expectShortTurns } from '../longest-block.ts'
import { catchProblem } from '../vault.ts'

test('R-03 A-14 a megabyte of invalid numbers is rejected quickly, with 50 paths', async () => {
  const depth = 58
  const numbers = Array(45_000).fill('12345678901234567890').join(',')
  const args = readJson(`${'{"name":'.repeat(depth)}[${numbers}]${'}'.repeat(depth)}`)
  const { errors = {} } = await expectShortTurns(() =>
    catchProblem((async () => assertExactNumbers(args, 'args'))()),
  )
  expect(Object.keys(errors)).toHaveLength(50)
})
