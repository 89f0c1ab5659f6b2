import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'
import { createClassName } from './class-name.ts'

// Checks that every style sheet of the window is a CSS module, except those listed here, and that every class is styled
// in one place: no two modules name a class alike, a module styles no class of others, every class of a module is used,
// and every class that a component uses exists.

/** Style sheets for the whole page, which style elements and the classes of libraries. */
const globalSheets = [
  // The styles of the Mantine components in use.
  'app/mantine.css',
  // Design tokens as CSS variables, resets of elements, and changes to Mantine's components.
  'app/theme.css',
]
/** The classes of text that any component may use by name, such as `mono` and `faint`. */
const textSheet = 'ui/text/text.css'
/** Classes of Mantine and CodeMirror. */
const ofLibrary = /^(mantine|cm|tok)-/

const root = path.join(import.meta.dirname, '..', 'renderer')
const problems: string[] = []
const files = fs
  .readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => !file.startsWith('elements/'))

function readFile(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8')
}

const listNames = (selectors: string) =>
  Array.from(selectors.matchAll(/\.([a-z][\w-]*)/gi), ([, name = '']) => name)

/** The classes in the selectors of a style sheet, and those within `:global()`, which keep their names. */
function listClasses(file: string): { own: Set<string>; global: Set<string> } {
  const css = readFile(file).replaceAll(/\/\*[\s\S]*?\*\/|@import[^;]*;/g, '')
  const selectors = Array.from(css.matchAll(/([^{};]+)\{/g), ([, text = '']) => text.trim())
    .filter((text) => !text.startsWith('@'))
    .join('\n')
  const inside = Array.from(selectors.matchAll(/:global\(([^)]*)\)/g), ([, text]) => text)
  return {
    own: new Set(listNames(selectors.replaceAll(/:global\([^)]*\)/g, ''))),
    global: new Set(listNames(inside.join('\n'))),
  }
}

/** The classes that a component names in strings, in `className` and `classNames`. */
function listStrings(node: unknown, isClass = false): string[] {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap((each) => listStrings(each, isClass))
  const { type, name, key, value, operator } = node as Record<string, unknown>
  if (operator === '===' || operator === '!==') return []
  if (isClass && type === 'Literal' && typeof value === 'string') return value.split(/\s+/)
  if (isClass && type === 'TemplateElement') return (value as { raw: string }).raw.split(/\s+/)
  const { name: label } = ((type === 'JSXAttribute' ? name : key) ?? {}) as { name?: unknown }
  const isNamed = isClass || label === 'className' || label === 'classNames'
  return Object.values(node).flatMap((each) => listStrings(each, isNamed))
}

const textClasses = listClasses(textSheet).own
const classesByModule = new Map<string, Set<string>>()
const sheetByName = new Map([...textClasses].map((name) => [name, textSheet]))
for (const sheet of files.filter((file) => file.endsWith('.css') && file !== textSheet)) {
  const { own, global } = listClasses(sheet)
  const isGlobal = globalSheets.includes(sheet)
  for (const name of isGlobal ? own : global)
    if (!ofLibrary.test(name)) problems.push(`${sheet} styles the class ${name}, which is not a library's`)
  if (isGlobal) continue
  if (!sheet.endsWith('.module.css')) {
    problems.push(`${sheet} is not a CSS module, and is not listed in scripts/check-styles.ts`)
    continue
  }
  classesByModule.set(sheet, own)
  for (const name of own) {
    const pageName = createClassName(name, sheet)
    const other = sheetByName.get(pageName)
    if (other !== undefined) problems.push(`${sheet} and ${other} both style the class ${pageName}`)
    sheetByName.set(pageName, sheet)
  }
}

const used = new Set<string>()
const imported = new Set<string>()
for (const file of files.filter((file) => /\.tsx?$/.test(file))) {
  const text = readFile(file)
  const code = text.replaceAll(/^import .*$/gm, '')
  for (const name of listStrings(parseAst(text, { lang: 'tsx' }))) {
    used.add(name)
    if (name !== '' && !textClasses.has(name))
      problems.push(`${file} names the class ${name}, which is not in ${textSheet}`)
  }
  for (const [, styles, specifier = ''] of text.matchAll(/import (?:(\w+) from )?'(\.[^']*\.css)'/g)) {
    const sheet = path.posix.join(path.posix.dirname(file), specifier)
    imported.add(sheet)
    if (styles === undefined) continue
    for (const [, name = ''] of code.matchAll(new RegExp(`\\b${styles}\\.(\\w+)`, 'g'))) {
      used.add(createClassName(name, sheet))
      if (!classesByModule.get(sheet)?.has(name)) problems.push(`${file} uses ${name}, which ${sheet} lacks`)
    }
    if (code.includes(`${styles}[`)) problems.push(`${file} computes the name of a class of ${sheet}`)
  }
}
for (const sheet of [...globalSheets, textSheet])
  if (!imported.has(sheet)) problems.push(`Nothing imports ${sheet}`)
for (const [name, sheet] of sheetByName)
  if (!used.has(name)) problems.push(`Nothing uses the class ${name} of ${sheet}`)

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
