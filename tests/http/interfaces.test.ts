import { expect, test } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { flattenCommands, toCommandNode } from '../../electron/cli/terminal/command-tree.ts'
import { hostCommands } from '../../electron/host/commands/catalogue.ts'
import { headerSchema } from '../../electron/host/files/header.ts'
import { openApi } from '../../electron/http/openapi.ts'
import { hostSettings } from '../../shared/host/settings.ts'
import { z } from '../../shared/zod.ts'
import { withDatabase } from '../rows.ts'
import { openVault } from '../vault.ts'

// Other programs and older files rely on these interfaces. If a snapshot changes, an interface has changed, so add that
// to the changelog.

/** Members with text for people. They are left out because their wording can change. */
const left = ['description', 'summary', 'title', 'example', 'examples', '$schema']
const isSafeBound = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

/**
 * Formats a JSON document as indented lines. With `areNames`, the members are the properties of a schema, so none is
 * left out because of its name.
 */
function listLines(value: object, areNames = false): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    if ((left.includes(name) && !areNames) || isSafeBound(each)) return []
    const isLeaf = typeof each !== 'object' || each === null || Object.keys(each).length === 0
    const isList = Array.isArray(each) && each.every((item) => typeof item !== 'object')
    if (isLeaf || isList) return [`${name}: ${JSON.stringify(each)}`]
    return [name, ...listLines(each, name === 'properties' && !areNames).map((line) => `  ${line}`)]
  })
}

const listSchemaLines = (schema: z.ZodType, name: string) => [
  name,
  ...listLines(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).map((line) => `  ${line}`),
]

const formatFile = (lines: readonly string[]) => `${lines.join('\n')}\n`

test('A-16 the paths, members, bounds and statuses of the API match their snapshot', async () => {
  await expect(formatFile(listLines(openApi('http://127.0.0.1:4747')))).toMatchFileSnapshot(
    'interfaces/http.txt',
  )
})

test('the tables, columns and indexes of a new vault match their snapshot', async () => {
  const vault = openVault()
  const rows = withDatabase(vault, (db) =>
    db.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name').pluck().all(),
  )
  await expect(`${rows.join(';\n')};\n`).toMatchFileSnapshot('interfaces/database.sql')
})

test('the CLI commands, arguments and options match their snapshot', async () => {
  const lines = flattenCommands(toCommandNode(buildProgram('0'))).flatMap((leaf) => [
    ['coffer', ...leaf.path, ...leaf.arguments.map((each) => `<${each.name()}>`)].join(' '),
    ...leaf.options.map((option) =>
      [`  ${option.flags}`, JSON.stringify(option.argChoices), JSON.stringify(option.defaultValue)]
        .join(' ')
        .trimEnd(),
    ),
  ])
  await expect(formatFile(lines)).toMatchFileSnapshot('interfaces/commands.txt')
})

test('the host commands and file formats match their snapshot', async () => {
  const calls = Object.entries(hostCommands).flatMap(([group, commands]) =>
    Object.entries(commands).flatMap(([name, { input, output }]) => [
      ...listSchemaLines(input, `${group}.${name} input`),
      ...listSchemaLines(output, `${group}.${name} output`),
    ]),
  )
  const files = [
    ...listSchemaLines(headerSchema, 'vault.json'),
    ...listSchemaLines(hostSettings, 'settings.json'),
  ]
  await expect(formatFile([...calls, ...files])).toMatchFileSnapshot('interfaces/host.txt')
})
