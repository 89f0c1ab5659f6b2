import { describe, expect, it } from 'vitest'
import { checkStructure, evaluateStructure } from '../../electron/engine/expressions/structure.ts'
import { WorkBudget } from '../../electron/engine/expressions/work-budget.ts'
import type { Json } from '../../shared/json.ts'

const data = { number: '4242424242424242', month: 4 }

describe('masks', () => {
  it('T-07 a mask is a string, an object or an array, evaluated in place', () => {
    expect(evaluateStructure(new WorkBudget(), '{{ data.number | last4 }}', { data })).toBe('4242')
    expect(
      evaluateStructure(
        new WorkBudget(),
        {
          number: '{{ data.number | reveal_last: 4 }}',
          month: '{{ data.month }}',
          text: 'ends in {{ data.number | last4 }}',
          kept: [1, true, null, 'plain', ['{{ data.missing }}']],
        },
        { data },
      ),
    ).toEqual({
      number: 'XXXXXXXXXXXX4242',
      month: 4,
      text: 'ends in 4242',
      kept: [1, true, null, 'plain', [null]],
    })
  })

  it('T-07 checking a mask names the path of the invalid string', () => {
    checkStructure(new WorkBudget(), { a: ['{{ data | last4 }}', 4] }, 'mask')
    expect(() => checkStructure(new WorkBudget(), { a: [{ b: '{{ data | nothing }}' }] }, 'mask')).toThrow(
      /^mask\.a\[0\]\.b has an unknown filter: nothing$/,
    )
    expect(() => checkStructure(new WorkBudget(), { '4242424242424242': '{% tag %}' }, 'mask')).toThrow(
      /^mask\.… must not contain a tag/,
    )
  })

  it('T-07 an error while a mask is evaluated names the path of the string', () => {
    expect(() =>
      evaluateStructure(new WorkBudget(), { a: ['ok', "{{ data | json: '$.b' }}"] }, { data }),
    ).toThrow(/^mask\.a\[1\] must pass a path that matches exactly one value/)
  })

  it('T-07 evaluating a mask does not change it', () => {
    const mask = Object.freeze({ list: Object.freeze(['{{ data.month }}']) as unknown as Json })
    expect(evaluateStructure(new WorkBudget(), mask, { data })).toEqual({ list: [4] })
    expect(mask).toEqual({ list: ['{{ data.month }}'] })
  })

  it('X-21 a property named __proto__ stays a property', () => {
    const mask = JSON.parse('{"__proto__":"{{ data.month }}","constructor":"c"}') as Json
    const result = evaluateStructure(new WorkBudget(), mask, { data }) as Record<string, Json>
    expect(Object.entries(result)).toEqual([
      ['__proto__', 4],
      ['constructor', 'c'],
    ])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })

  it('X-21 a mask that is too deep or too large is rejected', () => {
    let deep: Json = '{{ data }}'
    for (let depth = 0; depth < 65; depth++) deep = [deep]
    expect(() => checkStructure(new WorkBudget(), deep, 'mask')).toThrow('nested too deeply')
    expect(() => evaluateStructure(new WorkBudget(), deep, { data })).toThrow('nested too deeply')
    expect(() => checkStructure(new WorkBudget(), Array(1_001).fill('{{ data }}'), 'mask')).toThrow(
      'at most 1,000 expressions',
    )
    const large = 'x'.repeat(2_000_000)
    expect(evaluateStructure(new WorkBudget(), Array(2).fill('{{ data }}'), { data: large })).toEqual([
      large,
      large,
    ])
    expect(() => evaluateStructure(new WorkBudget(), Array(3).fill('{{ data }}'), { data: large })).toThrow(
      'exceeds a limit of expressions',
    )
    expect(() =>
      evaluateStructure(new WorkBudget(), Array(100_000).fill('{{ data | upcase }}'), { data: 'a' }),
    ).toThrow('exceeds a limit of expressions')
  })
})
