import { proxyErrors, toReferences } from '../error-responses.ts'
import type { JsonSchema } from '../json-schema.ts'
import { needsKey } from '../openapi-security.ts'
import { identifyOperation } from '../operation-ids.ts'

const description = `Forwards the request to a destination, and replaces expressions in its body and headers with token values. The destination belongs to a proxy, named by its key; an ephemeral call names the URL in BT-PROXY-URL. The path after /proxy and the query are added to those of the URL of the destination. GET, POST, PUT, PATCH and DELETE are forwarded with any body: up to 1 MiB with expressions or transforms, otherwise up to 25 MiB. Headers are forwarded, except connection headers and those that begin with BT- or SVC-. The response of the destination is returned unchanged, with its status in BT-PROXY-DESTINATION-STATUS; a response without that header comes from the proxy itself. Needs proxy:invoke or token:use, unless the proxy has require_auth false.`

const text = { type: 'string' }
const parameters = [
  {
    name: 'BT-PROXY-URL',
    in: 'header',
    description: 'The URL of the destination, for an ephemeral call',
    schema: { ...text, format: 'uri' },
    example: 'https://echo.coffer.test',
  },
  { name: 'BT-PROXY-KEY', in: 'header', description: 'The key of a proxy', schema: text },
  { name: 'SVC-PROXY-URL', in: 'header', description: 'The same as BT-PROXY-URL', schema: text },
  { name: 'SVC-PROXY-KEY', in: 'header', description: 'The same as BT-PROXY-KEY', schema: text },
  {
    name: 'bt-proxy-key',
    in: 'query',
    description: 'The same as BT-PROXY-KEY, for callers that cannot set a header',
    schema: text,
  },
]

const status = { schema: { type: 'integer', minimum: 100, maximum: 599 } }
const answer = {
  description: 'The response of the destination, with its own status',
  headers: { 'BT-PROXY-DESTINATION-STATUS': status, 'SVC-PROXY-DESTINATION-STATUS': status },
  // Client generators skip a response whose content types they do not know.
  content: { 'application/octet-stream': { schema: { ...text, format: 'binary' } }, '*/*': { schema: {} } },
}

/** The methods that `/proxy` forwards. */
export const forwardedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The operations of `/proxy` for the OpenAPI document, by method (rules A-16, G-04). */
export const proxyDocument: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  forwardedMethods.map((method) => [
    method.toLowerCase(),
    {
      ...identifyOperation(getName(method), '/proxy'),
      summary: `Call a destination through a proxy, by ${method}`,
      description,
      tags: ['proxies'],
      security: [...needsKey, {}],
      parameters,
      ...(method !== 'GET' &&
        method !== 'DELETE' && {
          requestBody: {
            required: false,
            description: 'Any body of any content type',
            content: {
              'application/json': {
                schema: {},
                example: { number: "{{ 4f3c7a3e-5a44-4f8e-9d52-0f8a5a1f7b10 | json: '$.number' }}" },
              },
              '*/*': { schema: {} },
            },
          },
        }),
      responses: { 200: answer, ...toReferences(proxyErrors, 'Proxy'), default: answer },
    },
  ]),
)

/** Returns the name for a method. Names differ by method, because ids must be unique in a document. */
function getName(method: (typeof forwardedMethods)[number]): string {
  return method === 'POST' ? 'proxies.invoke' : `proxies.invoke${method[0]}${method.slice(1).toLowerCase()}`
}
