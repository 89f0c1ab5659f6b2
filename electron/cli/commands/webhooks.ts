import { Argument, Command } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json.ts'
import { eventTypes } from '../../../shared/webhook-events.ts'
import { counted, note, say } from '../terminal/common.ts'
import { eventsOf } from '../terminal/event-patterns.ts'
import { type Forwarded, isForwarders, isRunning, openForwarder } from '../terminal/forwarder.ts'
import { exitCodeOf } from '../terminal/interrupted.ts'
import { askSandbox, pageOf, type SandboxOptions, withSandbox } from '../terminal/sandbox.ts'
import { onScriptGone } from '../terminal/script-gone.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { webAddress } from '../terminal/web-address.ts'

type ListenOptions = SandboxOptions & {
  readonly forward?: string
  readonly events?: string
  readonly printSecret?: true
  readonly json?: true
}

const NAME = 'coffer webhooks listen'
const KEY_PAGE = '/.well-known/webhooks.v1.key'
/** How often it is looked whether Coffer still runs. */
const LOOK_MS = 2000

/** `coffer webhooks`: events of a running Coffer, at work. */
export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks')
    .description('Forward events to a program on this machine, or send test events')
    .addHelpText(
      'after',
      `
Examples:
  coffer webhooks listen --forward http://localhost:3000/hooks
  coffer webhooks trigger token.created`,
    )
  webhooks.addCommand(listenCommand())
  webhooks.addCommand(triggerCommand())
  return webhooks
}

function listenCommand(): Command {
  return withSandbox(new Command('listen'))
    .description('Forward the events of a running Coffer to a program, and print each delivery')
    .option('--forward <url>', 'where each event is sent, signed as by a webhook')
    .option('--events <types>', 'types and patterns, separated by commas; by default all but http.request')
    .option('--print-secret', 'print the public key that verifies signatures, and stop')
    .option('--json', 'print one line of JSON for each delivery')
    .addHelpText(
      'after',
      `
Examples:
  coffer webhooks listen --forward http://localhost:3000/hooks --events 'token.*,proxy.invoked'
  coffer webhooks listen --print-secret > webhooks.pem

It adds a webhook for as long as it runs, so Coffer must run on this machine. An event that your program refuses is
printed, and not sent again. Stop it with Ctrl-C.

Events: ${eventsOf().join(', ')}, http.request`,
    )
    .action(async (options: ListenOptions) => {
      if (options.printSecret) return say(await publicKey(options.url))
      if (options.forward === undefined) throw new UsageError('Say where to forward events with --forward.')
      await listen(options, webAddress('--forward', options.forward), eventsOf(options.events))
    })
}

function triggerCommand(): Command {
  return withSandbox(new Command('trigger'))
    .description('Send a test event to every webhook that receives its type')
    .addArgument(new Argument('<type>', 'the type of the event, such as token.created').choices(eventTypes))
    .addHelpText(
      'after',
      `
Examples:
  coffer webhooks trigger token.created`,
    )
    .action(async (type: string, options: SandboxOptions) => {
      const { webhooks } = (await askSandbox(options, 'POST', '/_coffer/webhooks/trigger', { type })) as {
        webhooks: number
      }
      if (webhooks === 0) throw new CofferError('not_found', `No webhook receives ${type}.`)
      say(`A test event is on its way to ${counted(webhooks, 'webhook')}.`)
    })
}

async function publicKey(url: string): Promise<string> {
  const pem = await pageOf(url, KEY_PAGE)
  if (pem !== undefined) return pem.trimEnd()
  throw new CofferError('unavailable', `No key of webhooks is at ${url}. Is Coffer running there, unlocked?`)
}

async function listen(options: ListenOptions, target: string, events: readonly string[]): Promise<void> {
  const forwarder = await openForwarder(target, (forwarded) => tell(forwarded, options.json))
  const webhook = { name: NAME, url: forwarder.url, events: [...events] }
  try {
    await removeLeftBehind(options)
    let id = await create(options, webhook)
    note(`Forwarding ${counted(events.length, 'type')} of events to ${target}. Ctrl-C stops it.`)
    const stopped = new AbortController()
    const watching = watchCoffer(options.url, stopped.signal, async () => {
      // A vault in memory is another one after a restart.
      if (await isThere(options, id)) return
      id = await create(options, webhook)
    })
    const signal = await Promise.race([untilToldToStop(), watching])
    stopped.abort()
    await remove(options, id).catch(() => {
      note('The webhook could not be removed. The next coffer webhooks listen removes it.')
    })
    // A second signal ends it at once.
    process.once('SIGINT', () => process.exit(exitCodeOf('SIGINT')))
    if (signal instanceof Error) throw signal
  } finally {
    await forwarder.close()
  }
}

async function create(options: SandboxOptions, webhook: object): Promise<string> {
  return ((await askSandbox(options, 'POST', '/webhooks', webhook)) as { id: string }).id
}

async function isThere(options: SandboxOptions, id: string): Promise<boolean> {
  try {
    await askSandbox(options, 'GET', `/webhooks/${id}`)
    return true
  } catch (error) {
    if (error instanceof CofferError && error.code === 'not_found') return false
    throw error
  }
}

/** Removes the webhooks of listeners that were killed: they would fail until they are given up. */
async function removeLeftBehind(options: SandboxOptions): Promise<void> {
  const { data } = (await askSandbox(options, 'GET', '/webhooks')) as { data: unknown[] }
  for (const each of data) {
    if (!isObject(each) || typeof each.url !== 'string' || typeof each.id !== 'string') continue
    if (each.name !== NAME || !isForwarders(each.url) || (await isRunning(each.url))) continue
    await remove(options, each.id)
  }
}

/** Removes a webhook, unless that has been done. */
async function remove(options: SandboxOptions, id: string): Promise<void> {
  await askSandbox(options, 'DELETE', `/webhooks/${id}`).catch((error: unknown) => {
    if (!(error instanceof CofferError && error.code === 'not_found')) throw error
  })
}

/** Says when Coffer stops answering, and when it is back. Returns the error with which `onBack` fails. */
async function watchCoffer(url: string, stopped: AbortSignal, onBack: () => Promise<void>): Promise<unknown> {
  let isGone = false
  while (!stopped.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref())
    const answers = (await pageOf(url, '/_coffer/health')) !== undefined
    if (answers === !isGone || stopped.aborted) continue
    if (!answers) note(`Coffer no longer answers at ${url}. Waiting for it.`)
    else {
      try {
        await onBack()
      } catch (error) {
        return error
      }
      note('Coffer answers again.')
    }
    isGone = !answers
  }
  return undefined
}

function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    onScriptGone(resolve)
  })
}

function tell(forwarded: Forwarded, json: true | undefined): void {
  if (json) {
    say(JSON.stringify(forwarded))
    return
  }
  const { type, status, duration_ms, failure } = forwarded
  const time = new Date().toTimeString().slice(0, 8)
  say(`${time}  ${type.padEnd(28)}  ${failure ?? `${status}  ${duration_ms} ms`}`)
}
