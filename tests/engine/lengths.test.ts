import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { hostCommands } from '../../electron/host/commands/catalogue.ts'
import { z } from '../../shared/zod.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const createWideText = (count: number) => '😀'.repeat(count)

/** Lists the paths of the strings in a schema that are limited only by length. */
function listBoundedTexts(schema: z.ZodType, name: string) {
  const texts: { name: string; text: z.ZodType; min: number; max: number | undefined }[] = []
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
        min: minLength ?? 0,
        max: maxLength,
      })
    },
  })
  return texts
}

test('A-15 length limits of operations and commands count code points', () => {
  const bounded = [
    ...[...catalogue].flatMap(([name, { input }]) => listBoundedTexts(input, name)),
    ...Object.entries(hostCommands.host).flatMap(([name, { input }]) => listBoundedTexts(input, name)),
  ]
  expect(bounded.length).toBeGreaterThan(40)
  for (const { name, text, min, max } of bounded) {
    const isAccepted = (count: number) => {
      const { success, error } = text.safeParse(createWideText(count))
      return success || !error?.issues.some(({ code }) => code === 'too_big' || code === 'too_small')
    }
    expect([name, isAccepted(min), min === 0 || isAccepted(min - 1)]).toEqual([name, true, min === 0])
    if (max !== undefined) expect([name, isAccepted(max), isAccepted(max + 1)]).toEqual([name, true, false])
  }
})

test('A-15 T-04 T-06 T-07 E-01 length limits outside the schemas count code points', async () => {
  const { owner } = openBriefVault()
  const base = { type: 'token', data: 'secret' } as const
  const createToken = (more: object) => owner.tokens.create({ ...base, ...more })
  const catchErrorFields = async (more: object) =>
    Object.keys((await catchProblem(createToken(more))).errors ?? {})
  await createToken({ id: createWideText(3) })
  await createToken({ id: createWideText(400) })
  expect(await catchErrorFields({ id: createWideText(2) })).toEqual(['id'])
  expect(await catchErrorFields({ id: createWideText(401) })).toEqual(['id'])
  // An id that an expression returns is checked after the schema.
  const createWithId = (data: string) => owner.tokens.create({ type: 'token', data, id: '{{ data }}' })
  expect((await createWithId(`${createWideText(399)}x`)).id).toBe(`${createWideText(399)}x`)
  expect((await catchProblem(createWithId(createWideText(401)))).errors).toEqual({
    id: ['must have 3 to 400 characters'],
  })
  expect((await catchProblem(createWithId(createWideText(2)))).errors).toEqual({
    id: ['must have 3 to 400 characters'],
  })
  await createToken({ metadata: { [createWideText(200)]: createWideText(2000) } })
  expect(await catchErrorFields({ metadata: { [createWideText(201)]: '' } })).toEqual(['metadata'])
  expect(await catchErrorFields({ metadata: { a: createWideText(2001) } })).toEqual(['metadata.a'])
  const expression = `${createWideText(391)}{{ data }}`
  await createToken({
    fingerprint_expression: `${createWideText(390)}{{ data }}`,
    search_indexes: [`${createWideText(390)}{{ data }}`],
  })
  expect(await catchErrorFields({ fingerprint_expression: expression })).toEqual(['fingerprint_expression'])
  await createToken({ search_indexes: [`${createWideText(1990)}{{ data }}`] })
  expect(await catchErrorFields({ search_indexes: [`${createWideText(1991)}{{ data }}`] })).toEqual([
    'search_indexes[0]',
  ])
  await createToken({ mask: `${createWideText(1990)}{{ data }}` })
  expect(await catchErrorFields({ mask: `${createWideText(1991)}{{ data }}` })).toEqual(['mask'])
})

test('A-15 E-01 length limits of expressions count code points', async () => {
  const { owner } = openBriefVault()
  const measureResult = async (template: string, data: string) =>
    ((await owner.expressions.preview({ template, data })).result as string).length
  expect(await measureResult('{{ data | append: "x" }}', createWideText(65_000))).toBe(130_001)
  expect(await measureResult('{{ data }}{{ data }}', createWideText(32_768))).toBe(131_072)
  expect(await measureResult('{{ data | alias_preserve_length }}', createWideText(65_536))).toBe(65_536)
  for (const [template, data] of [
    ['{{ data | append: "x" }}', createWideText(65_537)],
    ['{{ data }}{{ data }}', createWideText(32_769)],
    ['{{ data | alias_preserve_length }}', createWideText(65_537)],
  ] as const) {
    expect((await catchProblem(owner.expressions.preview({ template, data }))).status).toBe(400)
  }
  const { result: size } = await owner.expressions.preview({
    template: '{{ data.size }}',
    data: createWideText(7),
  })
  expect(size).toBe(7)
  const path = `$['${createWideText(495)}']`
  await owner.expressions.preview({
    template: `{{ data | json: "${path}" }}`,
    data: { [createWideText(495)]: 1 },
  })
  const longer = {
    template: `{{ data | json: "$['${createWideText(496)}']" }}`,
    data: { [createWideText(496)]: 1 },
  }
  expect((await catchProblem(owner.expressions.preview(longer))).status).toBe(400)
  await owner.expressions.preview({ template: `{{ data | date: "${createWideText(200)}" }}`, data: 0 })
  const format = { template: `{{ data | date: "${createWideText(201)}" }}`, data: 0 }
  expect((await catchProblem(owner.expressions.preview(format))).status).toBe(400)
})
