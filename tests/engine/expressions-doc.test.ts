import { expect, it } from 'vitest'
import {
  MAX_DEPTH,
  MAX_LEAVES,
  MAX_SOURCE,
  MAX_STEP,
  MAX_VALUE,
  MAX_WORK,
} from '../../electron/engine/expressions/bounds.ts'
import type { Example, ExampleGroup } from '../../electron/engine/expressions/examples/example.ts'
import { examples } from '../../electron/engine/expressions/examples.ts'
import type { Json } from '../../shared/json.ts'

const titles: Record<ExampleGroup, string> = {
  masking: 'Masking',
  aliasing: 'Aliasing',
  json: 'JSON and types',
  hash: 'Hashes and encodings',
  text: 'Text',
  number: 'Numbers',
  array: 'Lists',
  date: 'Dates',
}

const number = new Intl.NumberFormat('en-US')

const introduction = `# Expressions

An expression selects a part of a token's data and formats it. Masks, fingerprint expressions, search indexes and
token ids can be expressions, and so can values in a detokenize request.

\`{{ path | filter: argument, argument | filter }}\`

- A path names a variable or a value in it: \`data\`, \`data.number\`, \`data.items[0]\`, \`data.items[-1].sku\`,
  \`data['a name']\`, and \`size\`, \`first\` and \`last\` of a list. Quoted strings, numbers, \`true\`, \`false\` and
  \`nil\` are literals.
- Filters change the value from left to right. Arguments follow a colon, by position or by name:
  \`reveal: 7, 4\` is \`reveal: first: 7, last: 4\`. An argument may be a path.
- If the expression is the complete string, the result keeps its JSON type. With text before or after it, the result
  is a string: objects and lists become compact JSON, and null becomes an empty string.
- A number keeps its spelling: \`{{ data.price }}\` with \`19.90\` gives \`19.90\`, also in strings, fingerprints and
  search indexes, so \`1.0\` and \`1\` differ. Filters that calculate use an integer exactly and any other number as a
  double; an integer result that a double cannot represent is an error. Filters that compare use doubles.
- A missing path gives null, and Coffer's own filters return null for null, except \`json\`, \`to_base64\` and
  \`to_base16\`, which reject it.
- Masks, search indexes and ids can use \`data\`; a fingerprint expression can also use \`metadata\`, as in
  \`{{ metadata.customer }}/{{ data.number }}\`.
- \`{{ data.number, reveal_last: 4 }}\` is an older syntax for \`{{ data.number | reveal_last: 4 }}\`.

A request is rejected with 400 if an expression cannot be parsed, names an unknown filter, passes the wrong arguments
to a filter, or contains a tag (\`{% … %}\`), an operator or a range.

An index or an id must not be null or empty. A fingerprint expression must find every value it names, because
deduplication treats two tokens with the same fingerprint as one: if a value is missing, or all values are empty, the
request is rejected with 400. Add a default for a value that may be missing:
\`{{ data.suffix | default: 'none' }}/{{ data.number }}\`.

The standard filters give the results of standard Liquid, except that objects and lists are written as compact JSON.

## Bounds

Work is counted rather than timed, so that an expression gives the same result on every machine. Characters are
Unicode code points. An expression that exceeds a bound is rejected with 400.

| | At most |
| --- | --- |
| Expression | ${number.format(MAX_SOURCE)} characters |
| Input and output of a standard filter | ${number.format(MAX_STEP)} characters, each item of a list counting as eight or more |
| Input and output of Coffer's own filters | ${number.format(MAX_VALUE)} characters; masking filters half of that, \`alias_…\` ${number.format(MAX_STEP)} |
| Result of a string with expressions | ${number.format(MAX_STEP)} characters |
| A mask | ${number.format(MAX_LEAVES)} expressions, ${MAX_DEPTH} levels, ${number.format(MAX_VALUE)} characters evaluated |
| Work of one expression or one mask | ${number.format(MAX_WORK)} characters processed. Most of Coffer's own filters count a quarter per character; filters that search or draw random characters count each several times |
`

function formatCode(value: Json): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
}

function formatRow({ expression, data, result, like }: Example): string {
  const expected = result === 'random' ? `random, like \`${like}\`` : formatCode(result)
  return `| \`${expression.replaceAll('|', '\\|')}\` | ${formatCode(data)} | ${expected} |`
}

function formatSection(kind: ExampleGroup): string {
  const ofKind = examples.filter((example) => example.kind === kind)
  const filters = Map.groupBy(ofKind, ({ filter }) => filter)
  const parts = [...filters.values()].map((rows) => {
    const head = `### \`${rows[0]?.signature}\`\n\n${rows[0]?.description}\n\n`
    return `${head}| Expression | Data | Result |\n| --- | --- | --- |\n${rows.map(formatRow).join('\n')}\n`
  })
  return `## ${titles[kind]}\n\n${parts.join('\n')}`
}

it('E-02 docs/expressions.md matches the examples', async () => {
  const kinds = Object.keys(titles) as ExampleGroup[]
  await expect(
    [introduction, ...kinds.map(formatSection)].join('\n'),
    'docs/expressions.md is stale: npx vitest run tests/engine/expressions-doc.test.ts -u',
  ).toMatchFileSnapshot('../../docs/expressions.md')
})
