import { mayHold, permissionNames } from '../../../shared/permissions.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { formatFetch, type HttpRequest } from '../../parts/api/snippets.ts'

/** The variable from which copied code reads the key. */
export const KEY_VARIABLE = 'VAULT_KEY'

/** A test of node:test that sends a request to a vault of its own, and expects this status. */
export function formatTest(operation: ApiOperation, request: HttpRequest, status: number): string {
  const { pathname, search } = new URL(request.url)
  const [, name] = /Needs ([\w:-]+)/.exec(operation.description) ?? []
  const needed = permissionNames.find((each) => each === name)
  const key = needed && !mayHold('private', needed) ? 'management' : 'private'
  // The first occurrences: the URL and the key come before the body.
  const call = formatFetch({ ...request, url: pathname + search, key: { variable: KEY_VARIABLE } })
    .replace('fetch(', () => 'fetch(coffer.url + ')
    .replace(`process.env.${KEY_VARIABLE}`, `coffer.keys.${key}`)
    .replace(/\nconsole\.log\(.*\)$/, '')
  const imports = [
    ['assert', 'node:assert/strict'],
    ['{ test }', 'node:test'],
    ['{ startCoffer }', 'coffer/testing'],
  ].map(([names, from]) => `import ${names} from '${from}'`)
  return `${imports.join('\n')}

test('${operation.method} ${operation.path}', async (context) => {
  const coffer = await startCoffer()
  context.after(() => coffer.close())
  ${call.replaceAll('\n', '\n  ')}
  assert.equal(response.status, ${status}, await response.text())
})
`
}
