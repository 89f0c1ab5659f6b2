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

An expression says what to take from a token's data and how to write it. Masks, fingerprint expressions, search
indexes and token ids can be expressions, and so can values in a detokenize request.

\`{{ path | filter: argument, argument | filter }}\`

- A path names a variable and a value in it: \`data\`, \`data.number\`, \`data.items[0]\`, \`data.items[-1].sku\`,
  \`data['a name']\`, and \`size\`, \`first\` and \`last\` of a list. Quoted text, numbers, \`true\`, \`false\` and
  \`nil\` are values too.
- Filters change the value from left to right. Arguments follow a colon, by position or by name:
  \`reveal: 7, 4\` is \`reveal: first: 7, last: 4\`. An argument may be a path.
- If the expression is the whole text, the result keeps its JSON type. With other text before or after it, the
  result is text: objects and lists become compact JSON, null becomes nothing.
- A number is taken as it is written: \`{{ data.price }}\` with \`19.90\` gives \`19.90\`. The same holds in text,
  fingerprints and search indexes, so \`1.0\` and \`1\` differ. Filters that calculate use a whole number in full and
  any other as its double, and refuse a whole result that a double cannot hold. Filters that compare use the double.
- A missing path gives null, and Coffer's own filters leave null alone, except for \`json\`, \`to_base64\` and
  \`to_base16\`, which refuse it.
- Masks, search indexes and ids know \`data\`; a fingerprint expression knows \`metadata\` too, as in
  \`{{ metadata.customer }}/{{ data.number }}\`.
- \`{{ data.number, reveal_last: 4 }}\` is an older spelling of \`{{ data.number | reveal_last: 4 }}\`.

A request with an expression that cannot be parsed, names an unknown filter or gives a filter the wrong arguments is
refused with 400; so are tags (\`{% … %}\`), operators and ranges.

An index or an id must not be null or empty. A fingerprint expression must find everything it names, because with
deduplication two tokens with the same fingerprint are one: if something is missing, or all of it is empty, it is
refused with 400. Where a part may be missing, give it a default:
\`{{ data.suffix | default: 'none' }}/{{ data.number }}\`.

The standard filters give the results of standard Liquid, except that objects and lists are written as compact JSON.

## Bounds

Bounds are counted rather than timed, so that an expression gives the same result on every machine. Characters are
Unicode code points. An expression that exceeds a bound is refused with 400.

| | At most |
| --- | --- |
| Expression | ${number.format(MAX_SOURCE)} characters |
| What a standard filter takes and returns | ${number.format(MAX_STEP)} characters, each item of a list counting as eight or more |
| What Coffer's own filters take and return | ${number.format(MAX_VALUE)} characters; masking filters half of that, \`alias_…\` ${number.format(MAX_STEP)} |
| Text with expressions in it, evaluated | ${number.format(MAX_STEP)} characters |
| A mask | ${number.format(MAX_LEAVES)} expressions, ${MAX_DEPTH} levels, ${number.format(MAX_VALUE)} characters evaluated |
| Work of one expression or one whole mask | ${number.format(MAX_WORK)} characters processed. Most of Coffer's own filters count a quarter per character; filters that search or draw random characters count each several times |
`

function formatCode(value: Json): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
}

function formatRow({ expression, data, result, like }: Example): string {
  const shownResult = result === 'random' ? `random, like \`${like}\`` : formatCode(result)
  return `| \`${expression.replaceAll('|', '\\|')}\` | ${formatCode(data)} | ${shownResult} |`
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
