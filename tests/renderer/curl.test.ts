import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openApi } from '../../electron/http/openapi.ts'
import { parseOperations } from '../../renderer/parts/api/api-document.ts'
import { formatCurl } from '../../renderer/parts/api/snippets.ts'
import { parseCurl } from '../../renderer/screens/requests/curl.ts'
import { importCurl } from '../../renderer/screens/requests/import-curl.ts'
import { CurlImportError, splitShellWords } from '../../renderer/screens/requests/shell-words.ts'
import type { JsonObject } from '../../shared/json.ts'
import { getRunCount } from '../thorough.ts'

const base = 'http://127.0.0.1:4747'
const operations = parseOperations(openApi(base) as JsonObject)
const importLine = (line: string) => importCurl(line, { operations, base, hosts: ['vault.test'] })

/** Returns why a line is rejected. Fails if it is accepted. */
function getError(line: string): string {
  try {
    importLine(line)
  } catch (error) {
    if (error instanceof CurlImportError) return error.message
    throw error
  }
  throw new Error(`was taken: ${line}`)
}

/** Returns the arguments that bash parses from a command. */
function splitInBash(line: string): string[] {
  // Only in a UTF-8 locale does bash handle letters beyond ASCII.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  return execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8', env })
    .split('\0')
    .slice(0, -1)
}

const quotings: readonly ((text: string) => string)[] = [
  (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  (text) => `"${text.replace(/[$`"\\]/g, '\\$&')}"`,
  (text) => `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}'`,
  (text) => (text === '' ? "''" : text.replace(/[^A-Za-z0-9_\n]/gu, '\\$&').replaceAll('\n', "'\n'")),
]
const text = fc.string({ unit: fc.constantFrom(...'ab 1"\'\\$`{}[]&|;<>#=@:,.?*~!\n\té€😀') })

test('curl arguments are read with any style of quotes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.constantFrom(...quotings)), { minLength: 1 }), (quotedWords) => {
      const line = quotedWords.map(([word, quote]) => quote(word)).join(' ')
      expect(splitShellWords(line)).toEqual({
        words: quotedWords.map(([word]) => word),
        variables: [],
        rest: '',
      })
    }),
    getRunCount(300),
  )
})

test.each([
  String.raw`a 'b c' "d e" f\ g h'i'"j"k`,
  String.raw`"a\"b\\c\d" 'a\b' a\\b`,
  String.raw`$'a\tb\x41\u00e9\'\101' $"x y"`,
  `a \\\n  b\\\nc "d\\\ne"`,
  String.raw`'it'\''s' "" '' a"b"`,
  `x # a comment`,
  `a#b 1=2 --x=y`,
])('the curl import splits %j like bash', (line) => {
  expect(splitShellWords(line).words).toEqual(splitInBash(line))
})

test('a curl command copied from the window imports unchanged', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('POST', 'PUT', 'PATCH'),
      fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean())),
      text,
      (method, body, query) => {
        const url = `${base}/tokens?q=${encodeURIComponent(query)}`
        const found = parseCurl(formatCurl({ method, url, key: 'key', body }), base)
        expect([found.method, found.url.href, JSON.parse(found.body ?? '')]).toEqual([
          method,
          new URL(url).href,
          body,
        ])
        expect(Object.fromEntries(found.headers)['svc-api-key']).toBe('key')
      },
    ),
  )
})

test('a curl command fills path, query, key, headers and body', () => {
  const created = importLine(`curl -sS -XPOST localhost:4747/api/tokens/ --json '{"type": "token"}' \\
    -H 'BT-API-KEY: key_1' -H "bt-idempotency-key: order 17" -H 'X-Own: 1' --compressed | jq .`)
  expect(created).toMatchObject({
    operation: { id: 'tokens.create' },
    key: 'key_1',
    draft: { body: '{"type": "token"}', headers: 'svc-idempotency-key: order 17', params: {} },
  })
  expect(created.notes.join(' ')).toContain('x-own')
  expect(created.notes.join(' ')).toContain('the rest was left out')

  const listed = importLine(
    `curl -G vault.test:4747/v2/tokens -d container=/pci/ --data-urlencode 'metadata.a b=c&d' -d size=5`,
  )
  expect(listed.operation.id).toBe('tokens.list')
  expect(listed.draft.params).toMatchObject({ container: '/pci/', size: '5' })

  const one = importLine(`curl http://127.0.0.1:4747/tokens/a%2Fb -H "SVC-API-KEY: $KEY"`)
  expect([one.operation.id, one.draft.params, one.key]).toEqual(['tokens.get', { id: 'a/b' }, ''])
  expect(one.notes).toEqual(['The command does not contain the key itself. Enter it here.'])
})

test.each([
  [
    'curl $VAULT_URL/tokens/$ID -H "SVC-API-KEY: $VAULT_KEY"',
    ['$VAULT_URL is assumed to be this listener.', /not expanded: \$ID\./],
  ],
  [`curl "\${COFFER_BASE_URL}/tokens/a"`, [`\${COFFER_BASE_URL} is assumed to be this listener.`]],
  ["curl http://localhost:4747/tokens/a -H 'SVC-API-KEY: key_local_pvt_…'", [/does not contain the key/]],
])('the curl import reads %j and lists parts that only the shell could resolve', (line, notes) => {
  const taken = importLine(line)
  expect([taken.operation.id, taken.key]).toEqual(['tokens.get', ''])
  for (const note of notes) {
    const found = typeof note === 'string' ? expect.stringContaining(note) : expect.stringMatching(note)
    expect(taken.notes).toContainEqual(found)
  }
  expect(taken.notes.join(' ')).not.toContain('$VAULT_KEY')
})

test('malformed JSON in a curl command is imported unchanged and can be sent', () => {
  expect(importLine(`curl ${base}/tokens -d '{"type":'`).draft.body).toBe('{"type":')
})

test.each([
  [`curl ${base}/tokens -d @card.json`, /reads no files.*card\.json/],
  [`curl ${base}/tokens --data-binary @-`, /reads no files/],
  [`curl ${base}/tokens --data-urlencode x@file`, /reads no files/],
  ['curl https://api.example.com/tokens', /go to this listener only/],
  ['curl http://127.0.0.1:9999/tokens', /go to this listener only/],
  ['curl http://127.0.0.1:4747@evil.test/tokens', /user or password/],
  ['curl https://127.0.0.1:4747/tokens', /go to this listener only/],
  ['curl http://vault.test.evil.test:4747/tokens', /go to this listener only/],
  [`curl ${base}/nothing`, /no operation GET \/nothing/],
  [`curl ${base}/proxy/pay -d '{}'`, /Send it from Proxies/],
  [`curl ${base}/tokens -d "$(cat card)"`, /runs another command/],
  [`curl ${base}/tokens -d \`cat card\``, /runs another command/],
  [`curl ${base}/tokens -d '{`, /quote in the command is not closed/],
  [`curl ${base}/tokens \\`, /rest of it is missing/],
  [`curl ${base}/documents -F document=@x`, /Upload documents in Documents/],
  [`curl ${base}/tokens -u a:b`, /not a user and password/],
  [`curl ${base}/tokens ${base}/tokens`, /more than one URL/],
  [`curl ${base}/tokens --unheard-of`, /--unheard-of/],
  ['curl', /has no URL/],
  [`wget ${base}/tokens`, /not a curl command/],
  [`curl ${base}/tokens -H`, /value of -H is missing/],
  [`curl ^"${base}/tokens^"`, /Windows command prompt/],
  [`curl ${base}/tokens ^\r\n  -d '{}'`, /Windows command prompt/],
  [`curl.exe ${base}/tokens \`\n  -d '{}'`, /PowerShell line breaks/],
  ['curl $HOST.evil.test/tokens', /go to this listener only/],
])('the curl import rejects %j with a reason', (line, reason) => {
  expect(getError(line)).toMatch(reason)
})

test('any pasted text imports or fails with a reason', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text, (some, more) => {
      for (const line of [some, `curl ${some}`, `curl ${base}/tokens ${more}`]) {
        try {
          importLine(line)
        } catch (error) {
          expect(error).toBeInstanceOf(CurlImportError)
        }
      }
    }),
    getRunCount(300),
  )
})
