import type { Json, JsonObject } from '../../../shared/json.ts'
import { MAX_MEMBERS, parseJson } from '../../../shared/safe-json.ts'
import { findHeader, type RedactedMessage } from '../../engine/index.ts'

/**
 * The services that describe a request in the form of httpbin, which guides and tests of the hosted service use as
 * destinations, with the paths that are answered (rule G-08).
 */
const services: Readonly<Record<string, RegExp>> = {
  'echo.basistheory.com': /^\//,
  'httpbin.org': /^\/(?:anything(?:\/.*)?|post)$/,
}

export function isHttpbin({ hostname, port, pathname }: URL): boolean {
  return Object.hasOwn(services, hostname) && port === '' && services[hostname]?.test(pathname) === true
}

/** Describes a call in the form of httpbin. SECURITY: like every echo, it shows only what the message may show. */
export async function createHttpbinEcho(
  method: string,
  url: URL,
  { headers, body }: RedactedMessage,
): Promise<Json> {
  const { form, files } = await readForm(body, findHeader(headers, 'content-type'))
  const data = form ? '' : (body ?? '')
  return {
    args: collectValues(url.searchParams),
    data,
    files,
    form: form ?? {},
    headers: { Host: url.host, ...collectValues(headers.map(([name, value]) => [toTitleCase(name), value])) },
    json: tryReadJson(data) ?? null,
    method,
    origin: '127.0.0.1',
    url: url.href,
  }
}

/** Parses JSON. Returns undefined if the text is not JSON, or is too deep or large to be described (case X-65). */
export function tryReadJson(text: string): Json | undefined {
  try {
    return parseJson(text, MAX_MEMBERS)
  } catch {
    // The body is described as text.
    return undefined
  }
}

/** A longer form stays text. SECURITY: reading one takes a time that grows with the square of its length (case X-65). */
const MAX_FORM_LENGTH = 64 * 1024

type Form = { readonly form: JsonObject | null; readonly files: JsonObject }

/** Reads a body that is a form. `form` is null for any other body, and for a form that cannot be read. */
async function readForm(body: string | null, type = ''): Promise<Form> {
  const none = { form: null, files: {} }
  if ((body?.length ?? 0) > MAX_FORM_LENGTH) return none
  if (!/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type)) return none
  try {
    const entries = [...(await new Response(body, { headers: { 'Content-Type': type } }).formData())]
    const texts = entries.flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    )
    const files = entries.flatMap(([name, value]) => (typeof value === 'string' ? [] : [{ name, value }]))
    const contents = files.map(async ({ name, value }) => [name, await value.text()] as const)
    return { form: collectValues(texts), files: collectValues(await Promise.all(contents)) }
  } catch {
    return none
  }
}

/** Collects values by name: a string, or a list if the name occurs more than once. */
function collectValues(pairs: Iterable<readonly [string, string]>): JsonObject {
  const groups = Map.groupBy(pairs, ([name]) => name)
  const values = [...groups].map(([name, all]) => {
    const [first, ...more] = all.map(([, value]) => value)
    return [name, more.length > 0 ? [first ?? '', ...more] : (first ?? '')] as const
  })
  return Object.fromEntries(values)
}

function toTitleCase(name: string): string {
  return name.toLowerCase().replace(/(?<![a-z\d])[a-z]/g, (letter) => letter.toUpperCase())
}
