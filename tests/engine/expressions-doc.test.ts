import { expect, it } from 'vitest'
import {
  MAX_DEPTH,
  MAX_LEAVES,
  MAX_SOURCE,
  MAX_STEP,
  MAX_VALUE,
  MAX_WORK,
} from '../../electron/engine/expressions/bounds.ts'
import type { Example, Kind } from '../../electron/engine/expressions/examples/example.ts'
import { examples } from '../../electron/engine/expressions/examples.ts'
import type { Json } from '../../shared/json.ts'

const titles: Record<Kind, string> = {
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

An expression says what to take from a token's data and how to write it. Masks, fingerprint expressions, search
indexes and token ids may be expressions, and so may the places of a detokenize request.

\`{{ path | filter: argument, argument | filter }}\`

- A path names a variable and what lies in it: \`data\`, \`data.number\`, \`data.items[0]\`, \`data.items[-1].sku\`,
  \`data['a name']\`, and of a list \`size\`, \`first\` and \`last\`. Text in quotes, numbers, \`true\`, \`false\` and
  \`nil\` are values too.
- Filters change the value from left to right. Arguments follow a colon, by place or by name:
  \`reveal: 7, 4\` is \`reveal: first: 7, last: 4\`. An argument may be a path.
- When the expression is all of the text, the result keeps its JSON type. With other text before or after it the
  result is text: objects and lists are written as compact JSON, null as nothing.
- A number is picked as it is written: \`{{ data.price }}\` of \`19.90\` gives \`19.90\`. Text, fingerprints and search
  indexes take it so too, so that \`1.0\` and \`1\` differ. Filters that calculate take a whole number in full and any
  other as its double, and refuse a whole result that a double does not hold. Filters that compare take the double.
- A missing path gives null, and Coffer's own filters leave null alone (\`json\`, which must find a value, does not).
- Masks, search indexes and ids know \`data\`; a fingerprint expression knows \`metadata\` too, as in
  \`{{ metadata.customer }}/{{ data.number }}\`.
- \`{{ data.number, reveal_last: 4 }}\` is an older spelling of \`{{ data.number | reveal_last: 4 }}\`.

An expression that cannot be parsed, names an unknown filter or gives a filter the wrong arguments is refused with
400 where it is given; so are tags (\`{% … %}\`), operators and ranges.

An index or an id must not come out null or empty. A fingerprint expression must find everything it names, because
with deduplication two tokens with the same fingerprint are one: it is refused with 400 where something is missing or
all of it is empty. Where a part may be missing, say what stands for it:
\`{{ data.suffix | default: 'none' }}/{{ data.number }}\`.

The standard filters give what standard Liquid gives; where that prints an object or a list, Coffer writes compact JSON.

## Bounds

The bounds are counted, characters as Unicode code points, and not timed, so that an expression gives the same on every machine. Beyond them it is refused
with 400.

| | At most |
| --- | --- |
| Expression | ${number.format(MAX_SOURCE)} characters |
| What a standard filter takes and gives | ${number.format(MAX_STEP)} characters, each item of a list counting as eight or more |
| What Coffer's own filters take and give | ${number.format(MAX_VALUE)} characters; those that mask half of it, \`alias_…\` ${number.format(MAX_STEP)} |
| Text with expressions in it, evaluated | ${number.format(MAX_STEP)} characters |
| A mask | ${number.format(MAX_LEAVES)} expressions, ${MAX_DEPTH} levels, ${number.format(MAX_VALUE)} characters evaluated |
| Work of one expression or one whole mask | ${number.format(MAX_WORK)} characters gone over, a quarter of each by most of Coffer's own filters, several times each by filters that search or draw random characters |
`

function code(value: Json): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
}

function rowOf({ expression, data, result, like }: Example): string {
  const given = result === 'random' ? `random, like \`${like}\`` : code(result)
  return `| \`${expression.replaceAll('|', '\\|')}\` | ${code(data)} | ${given} |`
}

function sectionOf(kind: Kind): string {
  const ofKind = examples.filter((example) => example.kind === kind)
  const filters = Map.groupBy(ofKind, ({ filter }) => filter)
  const parts = [...filters.values()].map((rows) => {
    const head = `### \`${rows[0]?.signature}\`\n\n${rows[0]?.description}\n\n`
    return `${head}| Expression | Data | Result |\n| --- | --- | --- |\n${rows.map(rowOf).join('\n')}\n`
  })
  return `## ${titles[kind]}\n\n${parts.join('\n')}`
}

it('E-02 docs/expressions.md tells what the examples tell', async () => {
  const kinds = Object.keys(titles) as Kind[]
  await expect(
    [introduction, ...kinds.map(sectionOf)].join('\n'),
    'docs/expressions.md is stale: npx vitest run tests/engine/expressions-doc.test.ts -u',
  ).toMatchFileSnapshot('../../docs/expressions.md')
})
