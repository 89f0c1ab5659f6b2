import { CofferError, fromProblem, type ProblemDetails } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json.ts'
import { z } from '../../../shared/zod.ts'
import type { EphemeralVaultKeys } from '../../host/control/serve-control.ts'
import { getDataDirectory } from '../../host/files/data-dir.ts'
import { formatCommand } from '../hint.ts'
import { chooseApplication } from './choose-application.ts'
import type { ServerOptions } from './server-options.ts'
import { findInMemory, findSessionAt, listInMemorySessions } from './shared-vault.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'
import { assertBaseUrl } from './web-address.ts'

const HEALTH_TIMEOUT_MS = 2000
/** What is read of a problem. */
const problem = z.object({
  status: z.number(),
  detail: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})

/**
 * Sends a request to a running Coffer and returns the body of the response, or undefined if it has none. Throws
 * whatever `findServerKey` throws, the error in the response, and `unavailable` if nothing responds or the response is
 * not Coffer's.
 */
export async function requestServer(
  { url, key }: ServerOptions,
  method: string,
  path: string,
  sent?: unknown,
): Promise<unknown> {
  using server = await openServer({ url, ...(key !== undefined && { key }) })
  const response = await sendRequest(
    { url, key: server.key },
    {
      method,
      path,
      headers: sent === undefined ? {} : { 'content-type': getContentType(method) },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    },
  )
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body
  if (isProblem(body)) throw fromProblem({ ...body, detail: formatProblem(body) })
  throw new CofferError(
    'unavailable',
    `The response from ${url} does not look like Coffer's (status ${response.status}). Check the URL.`,
  )
}

/**
 * Returns the management key of the options, or borrows the rights of a management application from the Coffer of this
 * user at the URL. Throws whatever `findServerKey` and `chooseApplication` throw.
 */
async function openServer({ url, key }: ServerOptions): Promise<Disposable & { readonly key: string }> {
  assertBaseUrl(url)
  const session = key === undefined ? await findSessionAt(getDataDirectory(), url) : null
  if (!session)
    return { key: await findServerKey({ url, ...(key !== undefined && { key }) }), [Symbol.dispose]() {} }
  try {
    const { id } = await chooseApplication(session, undefined, { type: 'management', permissions: [] })
    return { key: await session.borrowKey(id), [Symbol.dispose]: () => session.close() }
  } catch (error) {
    session.close()
    throw error
  }
}

export type ServerRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

/**
 * Sends a request, and follows no redirects. Throws a usage error for headers that HTTP cannot carry, and `unavailable`
 * if nothing responds.
 */
export async function sendRequest(
  { url, key }: { readonly url: string; readonly key: string },
  { method, path, headers, body }: ServerRequest,
): Promise<Response> {
  let sent: Headers
  try {
    sent = new Headers({ 'svc-api-key': key, 'user-agent': `coffer/${version}`, ...headers })
  } catch {
    // SECURITY: the original error is replaced, because it would repeat the key.
    throw new UsageError('The key or a header has a character that a header cannot have.')
  }
  try {
    return await fetch(url.replace(/\/+$/, '') + path, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
  } catch (error) {
    const cause = error instanceof Error && error.cause
    const isCut = isObject(cause) && (cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET')
    const text = isCut
      ? `${url} closed the connection without a response. List the faults that do that with: ${formatCommand('faults', 'list')}`
      : `Nothing answers at ${url}. Is Coffer running there?`
    throw new CofferError('unavailable', text, { cause: error })
  }
}

/** Reads the body of a response. Throws `unavailable` if it is not complete. */
export async function readBytes(url: string, response: Response): Promise<Buffer> {
  try {
    return Buffer.from(await response.arrayBuffer())
  } catch (error) {
    throw new CofferError('unavailable', `The response from ${url} broke off. Send the request again.`, {
      cause: error,
    })
  }
}

/** Checks a body that `requestServer` returned. Throws `unavailable` if it is not what Coffer sends. */
export function requireParsed<T>({ url }: ServerOptions, schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw new CofferError('unavailable', `The response from ${url} is not in the format of Coffer’s API.`)
}

/**
 * Returns the management key of the options, or that of an in-memory vault that this user runs at the URL. Throws a
 * usage error if there is no key or the URL is not valid, and `conflict` like `findInMemory`.
 */
export async function findServerKey({ url, key }: ServerOptions): Promise<string> {
  assertBaseUrl(url)
  const knownKey = key ?? (await findKeysInMemory(url))?.management
  if (knownKey !== undefined) return knownKey
  const create = formatCommand('keys', 'create', '--type', 'management')
  throw new UsageError(
    `Pass a management key with --key or COFFER_MANAGEMENT_KEY. To create one: ${create}${await describeOtherVaults()}`,
  )
}

/** Returns a sentence that lists the URLs of this user's in-memory vaults; empty if there are none. */
async function describeOtherVaults(): Promise<string> {
  const sessions = await listInMemorySessions(getDataDirectory())
  for (const each of sessions) each.close()
  const urls = sessions.flatMap(({ greeting }) => greeting.url ?? []).sort()
  return urls.length === 0
    ? ''
    : `. Or select one of your running in-memory vaults with --url: ${urls.join(', ')}`
}

/** Finds the keys of an in-memory vault that this user runs at a base URL; undefined if there is none. */
export async function findKeysInMemory(url: string): Promise<EphemeralVaultKeys['keys'] | undefined> {
  const { hostname, port } = new URL(url)
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') return undefined
  const session = await findInMemory({ dataDir: getDataDirectory() }, Number(port))
  try {
    return (await session?.fetchEphemeralKeys())?.keys
  } finally {
    session?.close()
  }
}

export function getContentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

/** Fetches a page that needs no key from a running Coffer; undefined if it does not exist. */
export async function fetchPage(url: string, path: string): Promise<string | undefined> {
  try {
    const response = await fetch(new URL(path, url))
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}

/** Whether anything responds at a base URL, even with an error. */
export async function isReachable(url: string): Promise<boolean> {
  try {
    await fetch(new URL('/_coffer/health', url), { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
    return true
  } catch {
    return false
  }
}

/** Returns the sentence of a problem, with what is wrong with each member. */
export function formatProblem({ detail, errors = {} }: ProblemDetails): string {
  const members = Object.entries(errors).map(([name, messages]) => `${name} ${messages.join(' and ')}`)
  return members.every((member) => detail.includes(member))
    ? detail
    : `${detail.replace(/: [^:]*$/, '')}: ${members.join('; ')}`
}

export function isProblem(body: unknown): body is ProblemDetails {
  return problem.safeParse(body).success
}
