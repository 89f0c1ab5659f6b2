import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

type ContractResponse = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body?: unknown
}
type DescribedResponse = { readonly content?: Record<string, Media> }
type DescribedOperation = {
  readonly responses: Record<string, DescribedResponse | { readonly $ref: string }>
}
type Media = { readonly schema: object }
export type OpenApiDocument = {
  readonly paths: Record<string, Record<string, DescribedOperation>>
  readonly components: { readonly responses: Record<string, DescribedResponse> }
}

type CheckResponse = (method: string, path: string, response: ContractResponse) => void
const contracts = new Map<string, CheckResponse>()
const contractsOfDocuments = new WeakMap<object, CheckResponse>()
let first: Promise<OpenApiDocument> | undefined

type RequestDocument = (method: string, path: string) => Promise<{ readonly body?: unknown }>

/** Returns the OpenAPI document, which is requested only once per process because it is the same for every vault. */
export function fetchDocument({ request }: { readonly request: RequestDocument }): Promise<OpenApiDocument> {
  first ??= request('GET', '/openapi.json').then(({ body }) => body as OpenApiDocument)
  return first
}

/** Returns a function that checks responses against an OpenAPI document. */
export function createContract({ paths, components }: OpenApiDocument): CheckResponse {
  const known = contractsOfDocuments.get(paths)
  if (known) return known
  // Compiled contracts are cached, because compiling the schemas takes longer than any test and most servers have the
  // same document.
  const text = JSON.stringify({ paths, components })
  const contract = contracts.get(text) ?? compileContract({ paths, components })
  contracts.set(text, contract)
  contractsOfDocuments.set(paths, contract)
  return contract
}

function compileContract({ paths, components }: OpenApiDocument): CheckResponse {
  // Formats need no validation, because the document also has patterns for them.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  // The document is one schema, so that its parts are compiled on demand and shared.
  ajv.addSchema({ paths, components }, 'document')
  const requireValidator = (...place: string[]): ValidateFunction => {
    const parts = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validator = ajv.getSchema(`document#/${parts.join('/')}`)
    if (!validator) throw new Error(`no schema at ${place.join(' ')}`)
    return validator
  }

  /** Returns the path of a response in the document, and the content that it defines. */
  const getContent = (response: DescribedResponse | { readonly $ref: string }, place: readonly string[]) => {
    if (!('$ref' in response)) return { place, content: response.content }
    const name = response.$ref.split('/').at(-1) ?? ''
    return { place: ['components', 'responses', name], content: components.responses[name]?.content }
  }

  /** Fails unless status, headers and body of a response conform to the document. */
  return function checkResponse(method: string, path: string, response: ContractResponse): void {
    const described = paths[path]?.[method.toLowerCase()]?.responses ?? {}
    const expected = described[response.status]
    expect(expected, `${method} ${path} ${response.status} is not described`).toBeDefined()
    const { place, content } = getContent(expected ?? {}, [
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      String(response.status),
    ])
    const type = response.headers.get('content-type')?.split(';', 1)[0] ?? 'none'
    const about = `${method} ${path} ${response.status} ${response.text.slice(0, 300)}`
    expect(response.headers.get('cache-control'), about).toBe('no-store')
    expect(response.headers.get('svc-trace-id'), about).toBeTruthy()
    if (response.status === 201) expect(response.headers.get('location'), about).toMatch(/^\//)
    if (!content) {
      expect(response.text, about).toBe('')
      return
    }
    const known = type in content || !('*/*' in content) ? type : '*/*'
    expect(Object.keys(content), about).toContain(known)
    const validate = requireValidator(...place, 'content', known, 'schema')
    validate(response.body)
    expect(validate.errors ?? [], about).toEqual([])
  }
}
