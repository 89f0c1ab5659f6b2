import { expect, test } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { flattenCommands, toCommandNode } from '../../electron/cli/terminal/command-tree.ts'
import { headerSchema } from '../../electron/host/files/header.ts'
import { openApi } from '../../electron/http/openapi.ts'
import { getHostCommands, hostSettings } from '../../shared/host.ts'
import { z } from '../../shared/zod.ts'
import { withDatabase } from '../rows.ts'
import { openVault } from '../vault.ts'

// Other programs and older files rely on these interfaces. A change of a snapshot changes an interface: add it to the
// changelog.

/** Texts for people, whose wording may change, and bounds that every integer has. */
const left = ['description', 'summary', 'title', 'example', 'examples', '$schema']
const isSafeBound = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

/** A JSON document as indented lines. The properties of a schema may have the names of texts. */
function linesOf(value: object, areNames = false): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    if ((left.includes(name) && !areNames) || isSafeBound(each)) return []
    const isLeaf = typeof each !== 'object' || each === null || Object.keys(each).length === 0
    const isList = Array.isArray(each) && each.every((item) => typeof item !== 'object')
    if (isLeaf || isList) return [`${name}: ${JSON.stringify(each)}`]
    return [name, ...linesOf(each, name === 'properties' && !areNames).map((line) => `  ${line}`)]
  })
}

const linesOfSchema = (schema: z.ZodType, name: string) => [
  name,
  ...linesOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).map((line) => `  ${line}`),
]

const fileOf = (lines: readonly string[]) => `${lines.join('\n')}\n`

test('A-16 no path, member, bound or status of the HTTP interface changes unnoticed', async () => {
  await expect(fileOf(linesOf(openApi('http://127.0.0.1:4747')))).toMatchFileSnapshot('interfaces/http.txt')
})

test('no table, column or index of a new vault changes unnoticed', async () => {
  const vault = openVault()
  const rows = withDatabase(vault, (db) =>
    db.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name').pluck().all(),
  )
  await expect(`${rows.join(';\n')};\n`).toMatchFileSnapshot('interfaces/database.sql')
})

test('no command, argument or option changes unnoticed', async () => {
  const lines = flattenCommands(toCommandNode(buildProgram('0'))).flatMap((leaf) => [
    ['coffer', ...leaf.path, ...leaf.arguments.map((each) => `<${each.name()}>`)].join(' '),
    ...leaf.options.map((option) =>
      [`  ${option.flags}`, JSON.stringify(option.argChoices), JSON.stringify(option.defaultValue)]
        .join(' ')
        .trimEnd(),
    ),
  ])
  await expect(fileOf(lines)).toMatchFileSnapshot('interfaces/commands.txt')
})

test('no host command and no file format changes unnoticed', async () => {
  const calls = Object.entries(getHostCommands()).flatMap(([group, commands]) =>
    Object.entries(commands).flatMap(([name, { input, output }]) => [
      ...linesOfSchema(input, `${group}.${name} input`),
      ...linesOfSchema(output, `${group}.${name} output`),
    ]),
  )
  const files = [
    ...linesOfSchema(headerSchema, 'vault.json'),
    ...linesOfSchema(hostSettings, 'settings.json'),
  ]
  await expect(fileOf([...calls, ...files])).toMatchFileSnapshot('interfaces/host.txt')
})
