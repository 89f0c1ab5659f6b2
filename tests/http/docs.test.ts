import { expect, test } from 'vitest'
import { createHttpFile } from '../../electron/http/docs/http-file.ts'
import { createDocsPage } from '../../electron/http/docs/page.ts'
import { createPostmanCollection } from '../../electron/http/docs/postman.ts'
import { examples } from '../../electron/http/examples.ts'
import { proxyDocument } from '../../electron/http/proxy/document.ts'
import { publicRoutes } from '../../electron/http/public-routes.ts'
import { routes, streamedRoutes, toInput } from '../../electron/http/routes.ts'
import { testControlRoutes } from '../../electron/http/test-control-routes.ts'
import { startListener } from '../listener.ts'

test('the reference page lists every route and loads nothing else', async () => {
  const { url } = await startListener()
  const response = await fetch(`${url}/docs`)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  for (const { name, method, operation } of routes) {
    expect(html).toContain(`<article id="${name}">`)
    expect(html).toContain(`class="method ${method}"`)
    expect(html).toContain(operation.summary.replaceAll("'", '&#39;'))
  }
  const nonce = /<style nonce="([^"]+)"/.exec(html)?.[1]
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`script-src 'nonce-${nonce}'`)
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
  expect(html).not.toMatch(/ (style|on\w+)="/)
  expect(await (await fetch(`${url}/docs`)).text()).not.toContain(nonce)
})

test('X-02 a foreign page cannot load the reference page', async () => {
  const { request } = await startListener()
  const { status } = await request('GET', '/docs', { headers: { Origin: 'http://evil.test' } })
  expect(status).toBe(403)
})

test('the reference page escapes markup in the base URL', () => {
  expect(createDocsPage('http://x"><script>').html).not.toContain('"><script>')
})

test.each(Object.entries(examples))(
  'A-16 the example of %s is a body that the operation accepts',
  (name, example) => {
    const route = routes.find((each) => each.name === name)
    if (!route) throw new Error(`${name} has no route`)
    const params = Object.fromEntries(route.params.map((param) => [param, 'some-id']))
    const input = toInput(route, params, {}, example)
    expect(route.operation.input.safeParse(input).error).toBeUndefined()
  },
)

test('A-16 every operation with members has an example in the OpenAPI document', async () => {
  const { request } = await startListener()
  const { body } = await request('GET', '/openapi.json')
  for (const { method, path, operation, name } of routes) {
    if (!['POST', 'PUT', 'PATCH'].includes(method) || operation.bodyless) continue
    const [content] = Object.values<{ example: unknown }>(
      body.paths[path][method.toLowerCase()].requestBody.content,
    )
    expect(examples[name], `Add an example of ${name} to electron/http/examples.ts.`).toBeDefined()
    expect(content?.example, name).toEqual(examples[name])
  }
})

test('the .http file and the Postman collection contain every operation', () => {
  const file = createHttpFile('http://127.0.0.1:4747')
  const collection = JSON.stringify(createPostmanCollection('http://127.0.0.1:4747'))
  for (const { name, method, path } of [...routes, ...streamedRoutes]) {
    expect(file).toContain(
      `# @name ${name.replace('.', '_')}\n${method} {{url}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}\n`,
    )
    expect(collection).toContain(`"raw":"{{url}}${path.replace(/\{(\w+)\}/g, ':$1')}"`)
  }
  expect(file.match(/^### /gm)?.length).toBe(
    routes.length +
      streamedRoutes.length +
      Object.keys(proxyDocument).length +
      publicRoutes.length +
      testControlRoutes.length,
  )
})
