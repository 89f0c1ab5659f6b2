import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQueryV1, parseQueryV2 } from '../../electron/engine/resources/tokens/search/search-query.ts'
import { CofferError } from '../../shared/errors.ts'
import { getRunCount } from '../thorough.ts'

const quoteText = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

function parseForMessage(parse: (query: string) => unknown, query: string): string {
  try {
    parse(query)
  } catch (error) {
    expect(error).toBeInstanceOf(CofferError)
    return (error as CofferError).errors?.query?.join() ?? ''
  }
  throw new Error('expected a refusal')
}

describe('v1 queries', () => {
  it('L-07 a query has one id, one data term, or metadata terms joined by AND', () => {
    expect(parseQueryV1(undefined)).toEqual({ by: 'all' })
    expect(parseQueryV1('  ')).toEqual({ by: 'all' })
    expect(parseQueryV1('id:a1-b:2')).toEqual({ by: 'id', value: 'a1-b:2' })
    expect(parseQueryV1('data:123-45-6789')).toEqual({ by: 'data', value: '123-45-6789' })
    expect(parseQueryV1('metadata.a:-1  AND\tmetadata.B.c:john@x.test AND metadata.d:""')).toEqual({
      by: 'metadata',
      pairs: [
        ['a', '-1'],
        ['B.c', 'john@x.test'],
        ['d', ''],
      ],
    })
  })

  it('L-07 double quotes may contain spaces, slashes and operators', () => {
    expect(parseQueryV1('data:"a OR b/c"')).toEqual({ by: 'data', value: 'a OR b/c' })
    expect(parseQueryV1('metadata."my key":"say \\"hi\\" \\\\"')).toEqual({
      by: 'metadata',
      pairs: [['my key', 'say "hi" \\']],
    })
  })

  it.each([
    ['metadata.a:1 OR metadata.b:2', /\bOR\b/],
    ['metadata.a:1 || metadata.b:2', /\bOR\b/],
    ['metadata.a:1||metadata.b:2', /\|\|/],
    ['metadata.a:1 && metadata.b:2', /&&/],
    ['NOT data:1', /\bNOT\b/],
    ['metadata.a:1 AND NOT metadata.b:1', /\bNOT\b/],
    ['-data:1', /\bNOT\b/],
    ['!data:1', /\bNOT\b/],
    ['+data:1', /\+/],
    ['(data:1)', /parentheses/],
    ['id:a AND data:b', /mixing/],
    ['metadata.a:1 AND data:b', /mixing/],
    ['id:a AND id:b', /more than one id/],
    ['data:a AND data:b', /more than one data/],
    ['metadata.a:1 metadata.b:2', /joined by AND/],
    ['data:two words', /joined by AND/],
    ['metadata.a:1 and metadata.b:2', /joined by AND/],
    ['AND data:1', /AND needs/],
    ['data:1 AND', /AND needs/],
    ['data:1 AND AND data:2', /AND needs/],
    ['AND', /AND needs/],
    ['data:a/b', /slashes.*quotes/],
    ['data:a*', /wildcards/],
    ['data:a?c', /wildcards/],
    ['data:abc~1', /fuzzy/],
    ['data:[1 TO 3]', /ranges/],
    ['data:>=3', /ranges/],
    ['data:"open', /not closed/],
    ['data:a"b"', /quotes/],
    ['data: 1', /follow the colon/],
    ['data', /<field>:<value>/],
    ['4242424242424242', /<field>:<value>/],
    ['metadata.:1', /<field>:<value>/],
    ['DATA:1', /<field>:<value>/],
    ['constructor:1', /<field>:<value>/],
  ])('L-07 %s is rejected, and the error names the unsupported part', (query, named) => {
    expect(parseForMessage(parseQueryV1, query)).toMatch(named)
  })

  it.each(['type', 'fingerprint', 'container', 'created_by', 'created_at', 'modified_by', 'modified_at'])(
    'L-07 a query with the field %s is rejected, and the error names the field',
    (field) => {
      expect(parseForMessage(parseQueryV1, `${field}:x`)).toBe(
        `the field ${field} is not supported in this search`,
      )
    },
  )

  it('L-07 a query with more than 50 terms is rejected', () => {
    const terms = Array.from({ length: 51 }, (_, at) => `metadata.k${at}:v`)
    expect(parseQueryV1(terms.slice(1).join(' AND '))).toMatchObject({ by: 'metadata' })
    expect(parseForMessage(parseQueryV1, terms.join(' AND '))).toMatch(/more than 50 terms/)
  })
})

describe('v2 queries', () => {
  it('L-08 a query has one term, and may have a container', () => {
    expect(parseQueryV2(undefined)).toEqual({ by: { field: 'all' }, container: undefined })
    expect(parseQueryV2('type:card')).toEqual({
      by: { field: 'type', value: 'card' },
      container: undefined,
    })
    expect(parseQueryV2('container:"/pci/" AND metadata.a:B')).toEqual({
      by: { field: 'metadata', key: 'a', value: 'B' },
      container: '/pci/',
    })
    expect(parseQueryV2('data:1 AND container:"/"')).toMatchObject({ container: '/' })
  })

  it.each([
    ['id:a', /GET \/tokens\/\{id\}/],
    ['metadata.a:1 AND metadata.b:2', /more than one metadata/],
    ['type:a AND metadata.b:2', /mixing/],
    ['type:a AND container:"/a/" AND data:x', /mixing/],
    ['container:"/a/" AND container:"/b/"', /more than one container/],
    ['created_at:2024', /created_at/],
    ['container:/a/', /slashes.*quotes/],
  ])('L-08 the query %s is rejected', (query, named) => {
    expect(parseForMessage(parseQueryV2, query)).toMatch(named)
  })
})

describe('any query', () => {
  const pieces = fc.constantFrom(
    ...['AND', 'OR', 'NOT', ' ', ' ', ':', '"', '\\', '/', '(', ')', '*', '-', '!', '&&', '||', '{', '\n'],
    ...[
      'id:',
      'data:',
      'type:',
      'metadata.',
      'metadata.k:',
      'container:',
      'value',
      '"a b"',
      '4242424242424242',
    ],
  )
  const query = fc.oneof(
    fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
    fc.string({ unit: 'binary' }),
  )

  it('L-07 L-08 any query is parsed, or rejected without repeating the input', () => {
    fc.assert(
      fc.property(query, (text) => {
        for (const parse of [parseQueryV1, parseQueryV2]) {
          try {
            parse(text)
          } catch (error) {
            expect(error).toBeInstanceOf(CofferError)
            expect((error as CofferError).status).toBe(400)
            expect(JSON.stringify((error as CofferError).errors)).not.toContain('4242424242424242')
          }
        }
      }),
      getRunCount(2000),
    )
  })

  it('L-07 L-08 any quoted key and value is parsed', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 })
    fc.assert(
      fc.property(text, text, (key, value) => {
        const query = `metadata.${quoteText(key)}:${quoteText(value)}`
        expect(parseQueryV1(query)).toEqual({ by: 'metadata', pairs: [[key, value]] })
        expect(parseQueryV2(query).by).toEqual({ field: 'metadata', key, value })
      }),
    )
  })

  it('X-21 a query is parsed in time linear to its length', () => {
    for (const part of ['"', '\\"', '"a', 'metadata.', ' AND ', 'a:', '""']) {
      const text = part.repeat(10_000 / part.length)
      try {
        parseQueryV1(`data:${text}`)
      } catch (error) {
        expect(error).toBeInstanceOf(CofferError)
      }
    }
  })
})
