import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { getHostCommands } from '../../shared/host.ts'
import { z } from '../../shared/zod.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const wide = (count: number) => '😀'.repeat(count)

/** Lists the paths of the strings in a schema that are limited only by length. */
function listBoundedTexts(schema: z.ZodType, name: string) {
  const texts: { name: string; text: z.ZodType; least: number; most: number | undefined }[] = []
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema, path }) {
      const { type, minLength, maxLength, pattern, format } = jsonSchema
      if (type !== 'string' || pattern !== undefined || format !== undefined) return
      if (!(zodSchema instanceof z.ZodString) || (minLength ?? maxLength) === undefined) return
      if ((maxLength ?? 0) > 100_000) return
      texts.push({
        name: `${name}.${path.join('.')}`,
        text: zodSchema,
        least: minLength ?? 0,
        most: maxLength,
      })
    },
  })
  return texts
}

test('A-15 length limits of operations and commands count code points', () => {
  const bounded = [
    ...[...catalogue].flatMap(([name, { input }]) => listBoundedTexts(input, name)),
    ...Object.entries(getHostCommands().host).flatMap(([name, { input }]) => listBoundedTexts(input, name)),
  ]
  expect(bounded.length).toBeGreaterThan(40)
  for (const { name, text, least, most } of bounded) {
    const takes = (count: number) => {
      const { success, error } = text.safeParse(wide(count))
      return success || !error?.issues.some(({ code }) => code === 'too_big' || code === 'too_small')
    }
    expect([name, takes(least), least === 0 || takes(least - 1)]).toEqual([name, true, least === 0])
    if (most !== undefined) expect([name, takes(most), takes(most + 1)]).toEqual([name, true, false])
  }
})

test('A-15 T-04 T-06 T-07 E-01 length limits outside the schemas count code points', async () => {
  const { owner } = openBriefVault()
  const base = { type: 'token', data: 'secret' } as const
  const create = (more: object) => owner.tokens.create({ ...base, ...more })
  const refusal = async (more: object) => Object.keys((await catchProblem(create(more))).errors ?? {})
  await create({ id: wide(3) })
  await create({ id: wide(400) })
  expect(await refusal({ id: wide(2) })).toEqual(['id'])
  expect(await refusal({ id: wide(401) })).toEqual(['id'])
  // An id that an expression returns is checked after the schema.
  const createWithId = (data: string) => owner.tokens.create({ type: 'token', data, id: '{{ data }}' })
  expect((await createWithId(`${wide(399)}x`)).id).toBe(`${wide(399)}x`)
  expect((await catchProblem(createWithId(wide(401)))).errors).toEqual({
    id: ['must have 3 to 400 characters'],
  })
  expect((await catchProblem(createWithId(wide(2)))).errors).toEqual({
    id: ['must have 3 to 400 characters'],
  })
  await create({ metadata: { [wide(200)]: wide(2000) } })
  expect(await refusal({ metadata: { [wide(201)]: '' } })).toEqual(['metadata'])
  expect(await refusal({ metadata: { a: wide(2001) } })).toEqual(['metadata.a'])
  const expression = `${wide(391)}{{ data }}`
  await create({
    fingerprint_expression: `${wide(390)}{{ data }}`,
    search_indexes: [`${wide(390)}{{ data }}`],
  })
  expect(await refusal({ fingerprint_expression: expression })).toEqual(['fingerprint_expression'])
  await create({ search_indexes: [`${wide(1990)}{{ data }}`] })
  expect(await refusal({ search_indexes: [`${wide(1991)}{{ data }}`] })).toEqual(['search_indexes[0]'])
  await create({ mask: `${wide(1990)}{{ data }}` })
  expect(await refusal({ mask: `${wide(1991)}{{ data }}` })).toEqual(['mask'])
})

test('A-15 E-01 length limits of expressions count code points', async () => {
  const { owner } = openBriefVault()
  const result = async (template: string, data: string) =>
    ((await owner.expressions.preview({ template, data })).result as string).length
  expect(await result('{{ data | append: "x" }}', wide(65_000))).toBe(130_001)
  expect(await result('{{ data }}{{ data }}', wide(32_768))).toBe(131_072)
  expect(await result('{{ data | alias_preserve_length }}', wide(65_536))).toBe(65_536)
  for (const [template, data] of [
    ['{{ data | append: "x" }}', wide(65_537)],
    ['{{ data }}{{ data }}', wide(32_769)],
    ['{{ data | alias_preserve_length }}', wide(65_537)],
  ] as const) {
    expect((await catchProblem(owner.expressions.preview({ template, data }))).status).toBe(400)
  }
  const { result: size } = await owner.expressions.preview({ template: '{{ data.size }}', data: wide(7) })
  expect(size).toBe(7)
  const path = `$['${wide(495)}']`
  await owner.expressions.preview({ template: `{{ data | json: "${path}" }}`, data: { [wide(495)]: 1 } })
  const longer = { template: `{{ data | json: "$['${wide(496)}']" }}`, data: { [wide(496)]: 1 } }
  expect((await catchProblem(owner.expressions.preview(longer))).status).toBe(400)
  await owner.expressions.preview({ template: `{{ data | date: "${wide(200)}" }}`, data: 0 })
  const format = { template: `{{ data | date: "${wide(201)}" }}`, data: 0 }
  expect((await catchProblem(owner.expressions.preview(format))).status).toBe(400)
})
