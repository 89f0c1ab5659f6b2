import { describe, expect, it } from 'vitest'
import { examples } from '../../electron/engine/expressions/examples.ts'
import { filterNames } from '../../electron/engine/expressions/filters.ts'
import { compile, evaluate } from '../../electron/engine/expressions/template.ts'

describe('filter examples', () => {
  it.each(examples.map((example) => [example.expression, example] as const))('E-02 %s', (_title, example) => {
    const result = evaluate(compile(example.expression), { data: example.data })
    if (example.result !== 'random') expect(result).toEqual(example.result)
    else expect(result).toMatch(new RegExp(example.like ?? '^$'))
  })

  it('E-02 every filter has an example and every example a filter', () => {
    expect([...new Set(examples.map(({ filter }) => filter))].sort()).toEqual(filterNames)
  })
})
