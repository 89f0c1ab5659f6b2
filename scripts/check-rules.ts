import fs from 'node:fs'
import path from 'node:path'
import { statements } from '../electron/conform/statements/index.ts'

// Checks docs/rules.md: each rule has text and a test, and no test, source or guide cites a number that does not exist.

const root = path.join(import.meta.dirname, '..')
const readFile = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
const problems: string[] = []

const rules = new Map<string, string>()
for (const section of readFile('docs/rules.md').split(/^(?=#{1,3} )/m)) {
  if (!section.startsWith('### ')) continue
  const [heading = '', ...text] = section.slice(4).split('\n')
  const [, number = '', title = ''] = /^([A-Z]-\d\d) (\S.*)$/.exec(heading) ?? []
  if (number === '') problems.push(`docs/rules.md has a heading without number and title: ${heading}`)
  else if (rules.has(number)) problems.push(`docs/rules.md has ${number} twice`)
  else if (text.join('').trim() === '') problems.push(`docs/rules.md has no text for ${number} ${title}`)
  if (number !== '') rules.set(number, title)
}

/** The numbers that a test's name begins with: `test('A-01 X-05 the header …', …)`, also with `.each(…)`. */
const leading = /(?<!describe)\(\s*['"`]((?:[A-Z]-\d\d[ ,]+)+)/g
const tested = new Set<string>()

const files = fs.globSync(
  ['*.md', '{docs,electron,examples,renderer,resources,scripts,shared,tests}/**/*.{cjs,css,md,mjs,ts,tsx}'],
  { cwd: root, exclude: (name) => name.endsWith('node_modules') },
)
for (const file of files) {
  const text = readFile(file)
  for (const number of new Set(text.match(/\b[A-Z]-\d\d\b/g)))
    if (!rules.has(number)) problems.push(`${file} cites ${number}, which is no rule`)
  if (!/\.test\.tsx?$/.test(file)) continue
  for (const [, numbers = ''] of text.matchAll(leading))
    for (const number of numbers.match(/[A-Z]-\d\d/g) ?? []) tested.add(number)
  // A test that runs the statements tests each of their rules.
  if (text.includes('electron/conform/statements/index.ts'))
    for (const { rule } of Object.values(statements).flat()) tested.add(rule)
}
for (const { rule, says } of Object.values(statements).flat())
  if (!rules.has(rule)) problems.push(`The statement “${says}” cites ${rule}, which is no rule`)

const untested = [...rules].filter(([number]) => !tested.has(number))
for (const [number, title] of untested) problems.push(`${number} has no test: ${title}`)
for (const problem of problems) console.log(problem)
console.log(`${rules.size - untested.length} of ${rules.size} rules have a test.`)
process.exitCode = problems.length > 0 ? 1 : 0
