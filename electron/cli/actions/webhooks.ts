import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import { isObject } from '../../../shared/json.ts'
import { parseEventPatterns } from '../terminal/event-patterns.ts'
import { type Forwarded, isForwarders, isRunning, openForwarder } from '../terminal/forwarder.ts'
import { toExitCode } from '../terminal/interrupted.ts'
import { fetchPage, isReachable, requestServer } from '../terminal/request-server.ts'
import type { ServerOptions } from '../terminal/server-options.ts'
import { colorText, getStatusColor } from '../terminal/table.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'
import { waitForStop } from '../terminal/wait-for-stop.ts'
import { parseWebAddress } from '../terminal/web-address.ts'

export async function listenToWebhooks(options: ListenOptions): Promise<void> {
  if (options.printSecret) return printLine(await publicKey(options.url))
  if (options.forward === undefined) throw new UsageError('Set the URL to forward events to with --forward.')
  await listenForEvents(
    options,
    parseWebAddress('--forward', options.forward),
    parseEventPatterns(options.events),
  )
}

export async function triggerEvent(type: string, { json, ...options }: TriggerOptions): Promise<void> {
  const { webhooks } = (await requestServer(options, 'POST', '/_coffer/webhooks/trigger', { type })) as {
    webhooks: number
  }
  if (webhooks === 0) throw new CofferError('not_found', `No webhook is subscribed to ${type}.`)
  if (json) return printLine(JSON.stringify({ type, webhooks }))
  printLine(`A test event is on its way to ${formatCount(webhooks, 'webhook')}.`)
}

export type TriggerOptions = ServerOptions & { readonly json?: true }

export type ListenOptions = ServerOptions & {
  readonly forward?: string
  readonly events?: string
  readonly printSecret?: true
  readonly json?: true
}

const NAME = 'coffer webhooks listen'

const KEY_PAGE = '/.well-known/webhooks.v1.key'

/** Codes of temporary errors: the next poll may succeed. */
const temporaryErrors: ReadonlySet<string> = new Set(['unavailable', 'locked', 'rate_limited'])

const POLL_INTERVAL_MS = 2000

async function publicKey(url: string): Promise<string> {
  const pem = await fetchPage(url, KEY_PAGE)
  if (pem !== undefined) return pem.trimEnd()
  throw new CofferError(
    'unavailable',
    `There is no webhook signing key at ${url}. Is Coffer running there, and unlocked?`,
  )
}

async function listenForEvents(
  options: ListenOptions,
  target: string,
  events: readonly string[],
): Promise<void> {
  const forwarder = await openForwarder(target, (forwarded) => printForwarded(forwarded, options.json))
  const webhook = { name: NAME, url: forwarder.url, events: [...events] }
  try {
    await removeLeftBehind(options)
    let id = await createWebhook(options, webhook)
    printHint(`Forwarding ${formatCount(events.length, 'event type')} to ${target}. Stop with Ctrl-C.`)
    const stopped = new AbortController()
    // After a restart or a reset, an in-memory vault no longer has the webhook.
    const watching = watchCoffer(options.url, stopped.signal, async () => {
      if (await isRegistered(options, id)) return
      id = await createWebhook(options, webhook)
      printHint('The vault was reset or replaced. Its events are forwarded from now on.')
    })
    const signal = await Promise.race([waitForStop(), watching])
    stopped.abort()
    await removeWebhook(options, id).catch(() => {
      printHint('The webhook could not be removed. The next run of coffer webhooks listen removes it.')
    })
    // A second signal exits immediately.
    process.once('SIGINT', () => process.exit(toExitCode('SIGINT')))
    if (signal instanceof Error) throw signal
  } finally {
    await forwarder.close()
  }
}

async function createWebhook(options: ServerOptions, webhook: object): Promise<string> {
  return ((await requestServer(options, 'POST', '/webhooks', webhook)) as { id: string }).id
}

async function isRegistered(options: ServerOptions, id: string): Promise<boolean> {
  const { data } = (await requestServer(options, 'GET', '/_coffer/webhooks')) as { data: { id: string }[] }
  return data.some((each) => each.id === id)
}

/** Removes the webhooks that earlier runs left behind when they were killed, because deliveries to them would fail. */
async function removeLeftBehind(options: ServerOptions): Promise<void> {
  const { data } = (await requestServer(options, 'GET', '/webhooks')) as { data: unknown[] }
  for (const each of data) {
    if (!isObject(each) || typeof each.url !== 'string' || typeof each.id !== 'string') continue
    if (each.name !== NAME || !isForwarders(each.url) || (await isRunning(each.url))) continue
    await removeWebhook(options, each.id)
  }
}

async function removeWebhook(options: ServerOptions, id: string): Promise<void> {
  await requestServer(options, 'DELETE', `/webhooks/${id}`).catch((error: unknown) => {
    if (!(error instanceof CofferError && error.code === 'not_found')) throw error
  })
}

/**
 * Prints a line when Coffer stops responding, and another when it responds again. Resolves to the error that
 * `whileReachable` threw, unless that error is temporary, or to undefined once `stopped` is aborted.
 */
async function watchCoffer(
  url: string,
  stopped: AbortSignal,
  whileReachable: () => Promise<void>,
): Promise<unknown> {
  let isUnreachable = false
  while (!stopped.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS).unref())
    const isUp = await isReachable(url)
    if (stopped.aborted) return undefined
    if (isUp === isUnreachable) printReachability(url, isUp)
    isUnreachable = !isUp
    if (isUnreachable) continue
    try {
      await whileReachable()
    } catch (error) {
      // Coffer has stopped in the meantime, or its vault is locked: try again at the next poll.
      if (!(error instanceof CofferError && temporaryErrors.has(error.code))) return error
    }
  }
  return undefined
}

function printReachability(url: string, isUp: boolean): void {
  printHint(
    isUp ? 'Coffer is responding again.' : `Coffer is not responding at ${url}. Waiting for it to return.`,
  )
}

function printForwarded(forwarded: Forwarded, json: true | undefined): void {
  if (json) {
    printLine(JSON.stringify(forwarded))
    return
  }
  const { type, status, duration_ms, failure } = forwarded
  const time = new Date().toTimeString().slice(0, 8)
  const plain = String(status)
  const outcome = failure ?? `${colorText(plain, getStatusColor(plain))}  ${duration_ms} ms`
  printLine(`${time}  ${type.padEnd(28)}  ${outcome}`)
}
