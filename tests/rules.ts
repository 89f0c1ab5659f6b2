import fs from 'node:fs'
import path from 'node:path'

// Lists the rules that no test names, and fails where there are any.

const folder = import.meta.dirname
const rules = JSON.parse(fs.readFileSync(path.join(folder, 'rules.json'), 'utf8')) as Record<string, string>

/** `test('A-01 X-05 the header …', …)`, also behind `.each(…)`: the numbers a test's name begins with. */
const named = /(?<!describe)\(\s*['"`]((?:[A-Z]-\d\d[ ,]+)+)/g

const numbers = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .flatMap((file) => [...fs.readFileSync(path.join(folder, file), 'utf8').matchAll(named)])
  .flatMap((match) => match[1]?.match(/[A-Z]-\d\d/g) ?? [])

const missing = Object.keys(rules).filter((number) => !numbers.includes(number))
const unknown = [...new Set(numbers)].filter((number) => !(number in rules))

for (const number of missing) console.log(`${number} has no test: ${rules[number]}`)
for (const number of unknown) console.log(`${number} is named by a test, but is no rule`)
console.log(
  `${Object.keys(rules).length - missing.length} of ${Object.keys(rules).length} rules have a test.`,
)
process.exitCode = missing.length + unknown.length > 0 ? 1 : 0
