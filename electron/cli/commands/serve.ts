import fs from 'node:fs'
import v8 from 'node:v8'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import {
  allowedDestination,
  bothDestinations,
  type Destinations,
  destinationOrigin,
  hasDestinations,
  noDestinations,
} from '../../../shared/destinations.ts'
import { CofferError, internal } from '../../../shared/errors.ts'
import { type HostSettings, isHost, isOrigin, type ListenerState } from '../../../shared/host.ts'
import { type ClockAhead, clockAheadText } from '../../../shared/schemas/clock-ahead.ts'
import { type FaultRule, faultRules } from '../../../shared/schemas/fault.ts'
import { runCommand } from '../../host/commands.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { type Parsed, readYaml } from '../../host/files/yaml-file.ts'
import { newVault } from '../../host/first-data/new-vault.ts'
import type { Seed } from '../../host/first-data/seed/seed.ts'
import { Host } from '../../host/host.ts'
import { SettingsInForce } from '../../host/host-settings.ts'
import { isFreePort } from '../../host/next-port.ts'
import { readReactors, storeReactors } from '../../host/reactors/folder.ts'
import { type Console, openConsole } from '../../http/console.ts'
import { hintFor } from '../hint.ts'
import { banner } from '../terminal/banner.ts'
import { defaultPort, note, parsePort, placeOf, say, withPlace } from '../terminal/common.ts'
import { exitCodeOf } from '../terminal/interrupted.ts'
import { type Opened, openOrMake } from '../terminal/open-vault.ts'
import { askedMs, hasTerminal, onEnter } from '../terminal/prompt.ts'
import { publishedHosts, publishedPortOption, publishedUrl } from '../terminal/published-port.ts'
import { runWithVault } from '../terminal/run-with-vault.ts'
import { onScriptGone } from '../terminal/script-gone.ts'
import { forgetSecrets } from '../terminal/secrets.ts'
import { seedOf } from '../terminal/serve-seed.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { windowFolder } from '../window-folder.ts'

type ServeOptions = {
  dataDir?: string
  vault: string
  port: number
  ephemeral?: true
  seed?: string
  keep?: true
  faults?: string
  untilInputEnds?: true
  acceptClock?: true
  run?: string
  console: boolean
  corsOrigin: string[]
  allowHost: string[]
  publishedPort?: number
  allowDestination: string[]
  mapDestination: Destinations['map']
  reactors?: true | string
  acceptLoss?: number
  json?: true
}

/** A vault waiting for the window to unlock it. */
type Locked = { readonly state: 'locked'; readonly reason: string }

const collect = (value: string, before: string[]) => [...before, value]

/** `coffer serve`: opens or creates the vault and answers on localhost until stopped. */
export function serveCommand(version: string): Command {
  return withPlace(new Command('serve'))
    .description('Open the vault, or create it if there is none, and answer on localhost')
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 picks a free one')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .option('--ephemeral', 'use a vault in memory, gone when Coffer stops')
    .option('--seed <file>', 'fill a new vault from a YAML or JSON file; in memory unless --keep')
    .option('--keep', 'keep the vault that --seed fills')
    .option('--faults <file>', 'delay, refuse or cut off calls, according to the rules in this file')
    .option('--console', 'print a link that opens the window in a browser', false)
    .option('--no-console', 'do not serve the window')
    .addOption(
      new Option(
        '--accept-loss <commits>',
        'open the vault without exactly this many missing commits, after putting a copy aside',
      ).argParser(parseCommits),
    )
    .option('--cors-origin <url>', 'origin of a web page that may call the vault; repeatable', collect, [])
    .option('--allow-host <host>', 'another Host header to accept; repeatable', collect, [])
    .addOption(publishedPortOption())
    .addOption(
      new Option(
        '--allow-destination <host>',
        'a host or network beyond this machine that proxies and webhooks may call; repeatable',
      )
        .argParser((text, before: string[]) => [...before, allowed(text)])
        .default([]),
    )
    .addOption(
      new Option(
        '--map-destination <from=to>',
        'call a stand-in, such as a local mock, in place of an address; repeatable',
      )
        .argParser(mapped)
        .default({}),
    )
    .option(
      '--reactors [folder]',
      'run the code of reactors and transforms: programs with network access; store those of a folder',
    )
    .addOption(
      new Option(
        '--run <command>',
        'run a shell command with the vault in its environment, then stop with its exit code',
      ).conflicts(['json', 'untilInputEnds']),
    )
    .option(
      '--accept-clock',
      'confirm a date far ahead of when the vault was last in use, and delete what has expired by it',
    )
    .option('--json', 'print one line of JSON for programs')
    .option(
      '--until-input-ends',
      'stop when standard input ends, for example when the program that started Coffer is killed',
    )
    .addHelpText(
      'after',
      `
Examples:
  coffer serve                         the vault "default" on port ${defaultPort}
  coffer serve --console               with the window in your browser, on the next port
  coffer serve --ephemeral --port 0    a throwaway vault on any free port
  coffer serve --seed coffer.seed.yaml --faults coffer.faults.yaml
  coffer serve --cors-origin http://localhost:3000
  coffer serve --allow-destination api.example.com --allow-destination '*.example.org'
  coffer serve --map-destination https://api.example.com=http://127.0.0.1:12111
  coffer serve --reactors ./reactors
  coffer serve --ephemeral --port 0 --run 'VAULT_URL=$COFFER_BASE_URL VAULT_KEY=$COFFER_API_KEY npm test'
  COFFER_PASSPHRASE=… coffer serve --json

The --run command gets COFFER_BASE_URL and, for a new vault, COFFER_API_KEY (private), COFFER_PUBLIC_KEY and
COFFER_MANAGEMENT_KEY. It starts once the vault answers. If the vault cannot start, the command does not run.

The --faults file is a list of rules, such as: [{ name: busy, operations: [tokens.create], status: 503, count: 2 }]

Proxies call only this machine unless a destination is allowed or mapped. An address in a private network needs an entry
of its own, such as --allow-destination 10.0.0.7, even with --allow-destination '*'.

Each NAME.js in the folder of --reactors is a reactor; a reactors.yml in it may name applications and configuration.

Port, origins, hosts, destinations and --reactors not given here come from the settings in the window.
Stop it with Ctrl-C: it ends with exit code 0, and every answered write is on disk.`,
    )
    .action(async (options: ServeOptions, command: Command) => {
      for (const origin of options.corsOrigin) checkOrigin(origin)
      for (const name of options.allowHost) checkHost(name)
      if (options.run?.trim() === '') throw new UsageError('--run needs a command.')
      const seed = await seedOf(options, placeOf(options))
      // A seed fills a throwaway vault unless --keep is given.
      if (seed && !options.keep) options.ephemeral = true
      const faults = options.faults === undefined ? undefined : readFaults(options.faults)
      const { dataDir, vault } = placeOf(options)
      let window: Console | undefined
      const host = new Host({
        version,
        shell: 'console',
        dataDir,
        vault,
        autoLock: options.console,
        overrides: overridesOf(options, command.getOptionValueSource('port') !== 'default', seed),
        ownPorts: () => (window ? [Number(new URL(window.url).port)] : []),
        onLost(sentences) {
          note(`coffer: ${sentences} Until then, Coffer answers every call with 503.`)
          process.exitCode = 1
        },
        ...(faults && { faults }),
        onClock: tellOfClock(),
      })
      // SECURITY: Node would print the message, which may hold data.
      process.on('uncaughtException', (error) => {
        host.report(error, 'process')
        note(`coffer: ${internal(error).message} coffer doctor names the file that says where.`)
        process.exit(1)
      })
      try {
        await serve(host, options, seed, (opened) => {
          window = opened
        })
      } catch (error) {
        await host.close()
        throw error
      }
    })
}

/** The rules in a file: a list, or under `rules` as `PUT /_coffer/faults` takes them. */
function readFaults(file: string): FaultRule[] {
  const { value } = readYaml(file, z.unknown())
  const isUnderRules = typeof value === 'object' && value !== null && 'rules' in value
  return isUnderRules ? readYaml(file, faultRules).value.rules : readYaml(file, faultRules.shape.rules).value
}

/** A throwaway vault is the same on every machine: it ignores the settings. */
function overridesOf(
  options: ServeOptions,
  portGiven: boolean,
  seed: Parsed<Seed> | undefined,
): Partial<HostSettings> {
  const { port, corsOrigin, allowHost, allowDestination, mapDestination, reactors, ephemeral } = options
  const hosts = [...allowHost, ...publishedHosts(options.publishedPort)]
  const given = { allow: allowDestination, map: mapDestination }
  const destinations = bothDestinations(seed?.value.destinations ?? noDestinations, given)
  const runs = reactors !== undefined || seed?.value.run_reactors === true
  return {
    ...((portGiven || ephemeral) && { port }),
    ...((corsOrigin.length > 0 || ephemeral) && { origins: corsOrigin }),
    ...((hosts.length > 0 || ephemeral) && { hosts }),
    ...((hasDestinations(destinations) || ephemeral) && { destinations }),
    ...((runs || ephemeral) && { reactors: runs }),
  }
}

async function serve(
  host: Host,
  options: ServeOptions,
  seed: Parsed<Seed> | undefined,
  onWindow: (window: Console) => void,
): Promise<void> {
  // Check the port before creating a vault whose keys would never be shown.
  if (!exists(options) && !(await isFreePort(host.statusNow().settings.port))) {
    const listener = await host.listenerOn({})
    if (listener.state !== 'on') throw refusal(listener)
  }
  const opened = await open(host, options, seed)
  const made = 'keys' in opened ? opened : undefined
  const keys = made?.keys
  if (opened.state !== 'locked') {
    if (options.acceptClock) opened.vault.engine.acceptClock()
    host.adopt(opened.vault)
  }
  if (typeof options.reactors === 'string') await storeFolder(options.reactors, opened)
  if (options.keep && seed?.value.run_reactors) await host.updateSettings({ reactors: true })
  if (options.keep && seed?.value.destinations) await keepDestinations(host, placeOf(options).dataDir)
  const listener = await host.listenerOn({})
  if (listener.state !== 'on') throw refusal(listener)
  const window = options.console
    ? await openWindow(host, options.port === 0 ? 0 : listener.port + 1)
    : undefined
  if (window) onWindow(window)
  const close = async () => {
    await window?.close()
    await host.close()
  }
  if (options.run === undefined) stopWhenTold(options.untilInputEnds === true, close)
  for (const notice of host.notices) note(notice)
  const { faults, settings } = host.statusNow()
  const { destinations, reactors } = settings
  const recovery_key = made?.recovery_key
  const facts = {
    url: publishedUrl(listener.url, options.publishedPort),
    tenant_id: opened.state === 'locked' ? null : opened.vault.engine.tenant_id,
    created: made !== undefined,
    ...(opened.state === 'locked' && { locked: true }),
    ...(keys && { keys }),
    ...(made && made.client_keys.length > 0 && { client_keys: made.client_keys }),
    ...(recovery_key !== undefined && { recovery_key }),
    ...(window && { console: window.launchLink() }),
    ...(faults.length > 0 && { faults }),
    ...(hasDestinations(destinations) && { destinations }),
    ...(reactors && { reactors }),
  }
  if (options.run !== undefined) {
    note(`Coffer is listening on ${listener.url} while this runs: ${options.run}`)
    process.exitCode = await runWithVault(options.run, listener.url, keys)
    return close()
  }
  if (options.json) say(JSON.stringify(facts))
  else {
    banner({
      ...facts,
      name: opened.state === 'locked' ? options.vault : opened.vault.name,
      state: opened.state,
      ...(opened.state === 'locked' && { reason: opened.reason }),
      // Counted from the start of the process, because that is what the user waits for.
      ready_ms: Math.round(performance.now() - askedMs()),
      keys_command: hintFor(placeOf(options), 'keys', 'create', '--type', 'private'),
    })
  }
  // By default Node lets its heap grow fourfold before it collects. Set only now, because a tighter limit would slow
  // the start.
  v8.setFlagsFromString('--heap-growing-percent=50')
  if (window && hasTerminal())
    onEnter(() => note(`Open the window with this link, which works once: ${window.launchLink()}`))
}

/** Stores the reactors of a folder; a reset of a vault in memory keeps them. */
async function storeFolder(folder: string, opened: Opened | Locked): Promise<void> {
  const files = readReactors(folder)
  if (opened.state === 'locked') return
  for (const sentence of await storeReactors(opened.vault.engine, files)) note(sentence)
  opened.vault.sandbox?.begin()
}

/** Adds the destinations in force to the stored ones, so that a vault filled from a seed finds them again. */
async function keepDestinations(host: Host, dataDir: string): Promise<void> {
  const stored = new SettingsInForce(dataDir, {}, () => {}).current.destinations
  const { settings } = host.statusNow()
  await host.updateSettings({ destinations: bothDestinations(stored, settings.destinations) })
}

/** Says once, on stderr, that nothing is deleted because the clock is far ahead (case X-45). */
function tellOfClock(): (ahead: ClockAhead | null) => void {
  let told = false
  return (ahead) => {
    if (ahead && !told) {
      note(
        `${clockAheadText(ahead)} Until you confirm the date, nothing is deleted. If it is right, start Coffer with --accept-clock. If it is wrong, set it.`,
      )
    }
    told = ahead !== null
  }
}

function exists(options: ServeOptions): boolean {
  const { dataDir, vault } = placeOf(options)
  return fs.existsSync(vaultFiles(dataDir, vault).folder)
}

function refusal(listener: Exclude<ListenerState, { state: 'on' }>): CofferError {
  if (listener.state === 'off') return new CofferError('internal', 'The listener did not open.')
  const { reason, next_port } = listener
  const next = next_port === undefined ? '' : ` Port ${next_port} is free: --port ${next_port}.`
  return new CofferError('conflict', `${reason}${next} Any free port: --port 0.`)
}

async function open(
  host: Host,
  options: ServeOptions,
  seed: Parsed<Seed> | undefined,
): Promise<Opened | Locked> {
  const { engineOptions: engine } = host
  const accept_loss = options.acceptLoss === undefined ? undefined : host.acceptedLoss(options.acceptLoss)
  if (options.ephemeral) return { state: 'ephemeral', ...(await newVault({ engine, seed })) }
  try {
    return await openOrMake(placeOf(options), { memory: !options.keep, seed, engine, accept_loss })
  } catch (error) {
    if (!options.console || !(error instanceof CofferError) || error.code !== 'locked') throw error
    return { state: 'locked', reason: error.message }
  } finally {
    // SECURITY: a server runs for days and does not need again what opened its vault.
    forgetSecrets()
  }
}

/** The window on the given port, or on any free port where that one is taken. */
async function openWindow(host: Host, port: number): Promise<Console> {
  const options = {
    folder: windowFolder,
    engine: host.engine,
    report: host.report,
    run: (call: unknown) => runCommand(host, call),
    subscribe: host.subscribe.bind(host),
  }
  try {
    return await openConsole({ ...options, port: port > 65535 ? 0 : port })
  } catch (error) {
    if (error instanceof CofferError && error.code === 'conflict') return openConsole({ ...options, port: 0 })
    throw error
  }
}

function checkOrigin(origin: string): void {
  if (isOrigin(origin)) return
  throw new UsageError('An origin is scheme, host and port without a path, such as http://localhost:3000.')
}

function checkHost(name: string): void {
  if (isHost(name)) return
  throw new UsageError('A host is a name, with or without a port, such as vault.test or vault.test:4747.')
}

/** An entry of the allowed destinations. */
function allowed(text: string): string {
  const { success, data } = allowedDestination.safeParse(text)
  if (success) return data
  throw new InvalidArgumentError(
    'A destination to allow is a host without https://, such as api.example.com, *.example.com or *, or an address or network, such as 10.0.0.0/8.',
  )
}

/** The maps given so far, and one more of an address to its stand-in. */
function mapped(text: string, before: Destinations['map']): Destinations['map'] {
  const [from, to] = text.split('=').map((side) => destinationOrigin.safeParse(side).data)
  if (from === undefined || to === undefined || text.split('=').length !== 2) {
    throw new InvalidArgumentError(
      'A map is two addresses without a path, such as https://api.example.com=http://127.0.0.1:12111.',
    )
  }
  if (Object.hasOwn(before, from)) throw new InvalidArgumentError('An address has one stand-in.')
  return { ...before, [from]: to }
}

/** Finishes what is in progress, then exits with code 0. A second signal exits at once, with that signal's code. */
function stopWhenTold(untilInputEnds: boolean, close: () => Promise<void>): void {
  let stopping = false
  const stop = async (signal?: NodeJS.Signals) => {
    if (stopping) process.exit(signal ? exitCodeOf(signal) : 0)
    stopping = true
    await close()
    process.exit(process.exitCode ?? 0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  onScriptGone(() => void stop())
  if (untilInputEnds) process.stdin.on('end', () => void stop()).resume()
}

function parseCommits(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of commits that the refusal named.')
}
