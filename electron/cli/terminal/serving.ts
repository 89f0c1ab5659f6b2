import fs from 'node:fs'
import v8 from 'node:v8'
import { type ClockAhead, formatClockAhead } from '../../../shared/clock-ahead.ts'
import { hasDestinations, mergeDestinations, noDestinations } from '../../../shared/destinations.ts'
import { CofferError, createInternalError } from '../../../shared/errors.ts'
import { mapSettingOptions } from '../../../shared/host/setting-options.ts'
import type { HostSettings } from '../../../shared/host/settings.ts'
import type { ListenerState } from '../../../shared/host/status.ts'
import type { FaultRule } from '../../../shared/schemas/fault.ts'
import type { AsHosted } from '../../as-hosted/as-hosted.ts'
import type { Issuer } from '../../as-hosted/authority.ts'
import {
  describeIsolation,
  findIsolation,
  type Isolation,
} from '../../code-runner/isolation/find-isolation.ts'
import { describeSystemError } from '../../engine/index.ts'
import { runCommand } from '../../host/commands/run-command.ts'
import { openControlSocket } from '../../host/control/serve-control.ts'
import type { Parsed } from '../../host/files/member-location.ts'
import { getVaultFiles } from '../../host/files/vault-files.ts'
import { Host } from '../../host/host.ts'
import { EffectiveSettings } from '../../host/host-settings.ts'
import type { Seed } from '../../host/initial-data/seed/seed.ts'
import { startWatchdog } from '../../host/jobs/watchdog.ts'
import { wipeFreedMemory } from '../../host/jobs/wipe-freed-memory.ts'
import { discardPendingKey } from '../../host/keys/passphrase.ts'
import { isFreePort } from '../../host/next-port.ts'
import { createAcceptedLoss } from '../../host/vault/open-vault.ts'
import type { Console } from '../../http/console.ts'
import { formatCommandLine, formatVaultCommand } from '../hint.ts'
import { windowFolder } from '../window-folder.ts'
import { type HostedFacts, printBanner } from './banner.ts'
import { printFirst } from './broken-output.ts'
import { createRefusalPrinter } from './hosted-refusals.ts'
import { toExitCode } from './interrupted.ts'
import { makeKeysHint, type OpenVaultResult, openOrCreate, runWithSeedProgress } from './open-vault.ts'
import { watchParent } from './parent-watch.ts'
import { sanitizeText } from './printable.ts'
import { getPromptMs, hasTerminal, onEnter } from './prompt.ts'
import { listPublishedHosts, publishedUrl } from './published-port.ts'
import { type LogFormat, RequestLog } from './request-log.ts'
import { runWithVault } from './run-with-vault.ts'
import { clearSecrets } from './secrets.ts'
import type { ServeOptions } from './serve-options.ts'
import { printHint, printLine, toVaultLocation } from './vault-options.ts'

/** A vault that the window must unlock. */
type LockedVault = { readonly state: 'locked'; readonly reason: string }

/**
 * Opens or creates a vault and serves it on localhost until stopped, or until the command to run has ended. Unless
 * `isPortSet`, the settings decide the port.
 */
export async function serveVault(version: string, options: ServeOptions, isPortSet: boolean): Promise<void> {
  const seed = await readSeed(options)
  // Unless --keep is set, a seed fills an in-memory vault.
  if (seed && !options.keep) options.ephemeral = true
  const faults = typeof options.faults === 'string' ? await loadFaults(options.faults) : options.faults
  const { dataDir, vault } = toVaultLocation(options)
  const format = getLogFormat(options)
  // While a command runs, stdout belongs to it.
  const log =
    format === 'off' ? undefined : new RequestLog(format, options.run === undefined ? 'stdout' : 'stderr')
  let window: Console | undefined
  const host = new Host({
    version,
    shell: 'console',
    dataDir,
    vault,
    autoLock: options.console,
    overrides: createOverrides(options, isPortSet, seed),
    ownPorts: () => (window ? [Number(new URL(window.url).port)] : []),
    onLocked: () => void wipeFreedMemory(),
    onLost(sentences) {
      printHint(`coffer: ${sentences} Until then, Coffer answers every call with 503.`)
      process.exitCode = 1
    },
    ...(faults && { faults }),
    onAnswered: log?.add,
    onClock: createClockNotice(),
  })
  // SECURITY: Node would print the message, which may hold data.
  process.on('uncaughtException', (error) => {
    host.reportIncident(error, 'process')
    printHint(`coffer: ${createInternalError(error).message} coffer doctor names the file with the details.`)
    process.exit(1)
  })
  const parts = { host, options, seed, log }
  try {
    await serveHost(parts, (opened) => {
      window = opened
    })
  } catch (error) {
    await host.close()
    throw error
  }
}

/**
 * Returns the log format: requests are printed at a terminal, but not if a program reads stdout (`--json`) or writes to
 * it (`--run`).
 */
function getLogFormat({ log, json, run }: ServeOptions): LogFormat {
  return log ?? (process.stdout.isTTY && !json && run === undefined ? 'pretty' : 'off')
}

/**
 * Reads the seed that the options name. Its module is loaded on demand: the schemas take time to build, and most vaults
 * are served without a seed.
 */
async function readSeed(options: ServeOptions): Promise<Parsed<Seed> | undefined> {
  if (options.seed === undefined && !options.keep) return undefined
  return (await import('./serve-seed.ts')).readServeSeed(options, toVaultLocation(options))
}

async function loadFaults(file: string): Promise<FaultRule[]> {
  return (await import('./read-faults.ts')).readFaults(file)
}

/**
 * Returns the settings that the options override. An in-memory vault ignores the stored settings, so that it is the same
 * on every machine.
 */
function createOverrides(
  options: ServeOptions,
  isPortSet: boolean,
  seed: Parsed<Seed> | undefined,
): Partial<HostSettings> {
  const { port, corsOrigin, allowHost, allowDestination, mapDestination, reactors, ephemeral } = options
  const hosts = [...allowHost, ...listPublishedHosts(options.publishedPort)]
  const requested = { allow: allowDestination, map: mapDestination }
  const destinations = mergeDestinations(seed?.value.destinations ?? noDestinations, requested)
  const runs = reactors !== undefined || seed?.value.run_reactors === true
  const switches = mapSettingOptions((name) => options[name] ?? (ephemeral ? false : undefined))
  return {
    ...((isPortSet || ephemeral) && { port }),
    ...((corsOrigin.length > 0 || ephemeral) && { origins: corsOrigin }),
    ...((hosts.length > 0 || ephemeral) && { hosts }),
    ...((hasDestinations(destinations) || ephemeral) && { destinations }),
    ...((runs || ephemeral) && { reactors: runs }),
    ...Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined)),
  }
}

type ServeContext = {
  readonly host: Host
  readonly options: ServeOptions
  readonly seed: Parsed<Seed> | undefined
  readonly log: RequestLog | undefined
}

async function serveHost(
  { host, options, seed, log }: ServeContext,
  onWindow: (window: Console) => void,
): Promise<void> {
  // Check the port before creating a vault whose keys would never be shown.
  if (!vaultFolderExists(options) && !(await isFreePort(host.getStatus().settings.port)))
    await startListener(host)
  // The secrets of the environment are cleared when the vault has been opened.
  const issuer = await findIssuer(host, options)
  const opened = await openServed(host, options, seed)
  if (opened.state !== 'locked') {
    if (options.acceptClock) opened.vault.engine.clock.acceptTime()
    host.current.adoptVault(opened.vault)
  }
  await applyStored({ host, options, seed, opened })
  const isNew = opened.state === 'created'
  // The port may have been taken while the vault was created.
  const listener = await startListener(host, isNew ? describeUnseenKeys(options) : '')
  const windowPort = options.port === 0 ? 0 : listener.port + 1
  const window = options.console ? await openWindow(host, windowPort) : undefined
  if (window) onWindow(window)
  const hosted = await openHosted(host, options, issuer)
  const keys = 'keys' in opened ? opened.keys : undefined
  // A command started with --run already has the keys in its environment.
  const canIssueKeys = opened.state === 'ephemeral' && options.run === undefined
  const getEphemeralKeys = () => (canIssueKeys && keys ? { url: listener.url, keys } : null)
  const closeControl = await openControlSocket(host, getEphemeralKeys, () => window?.launchLink() ?? null)
  const closeAll = async () => {
    closeControl()
    await window?.close()
    await host.close()
    await log?.flush()
  }
  if (options.run === undefined) stopOnSignal(options.untilInputEnds === true, closeAll)
  printNotices(host, opened)
  if (options.run !== undefined) {
    printHint(`Coffer is listening on ${listener.url} while this runs: ${formatCommandLine(options.run)}`)
    process.exitCode = await runWithVault(options.run, listener.url, keys, hosted)
    return closeAll()
  }
  const url = publishedUrl(listener.url, options.publishedPort)
  const isolation = await findCodeIsolation(host)
  printFirst(() => printServed({ host, options, opened, url, window, hosted, isolation }))
  limitMemory()
  startWatchdog(host.reportIncident)
  if (window && hasTerminal()) onEnter(() => printLink(window.launchLink()))
}

/** Finds what keeps code apart, if code may run. */
async function findCodeIsolation(host: Host): Promise<Isolation | undefined> {
  return host.getStatus().settings.reactors ? findIsolation() : undefined
}

/** Finds the lasting authority if the options ask for the names of the hosted service. */
async function findIssuer(host: Host, options: ServeOptions): Promise<Issuer | undefined> {
  if (options.asHosted === undefined) return undefined
  const { findLastingIssuer } = await import('./lasting-issuer.ts')
  return findLastingIssuer(toVaultLocation(options).dataDir, host.getStatus().settings.destinations)
}

/** Answers the names of the hosted service if the options ask for it. */
async function openHosted(
  host: Host,
  { asHosted, authorityFile }: ServeOptions,
  issuer: Issuer | undefined,
): Promise<AsHosted | undefined> {
  if (asHosted === undefined) return undefined
  const hosted = await host.asHosted.turnOn({
    port: asHosted === true ? 0 : asHosted,
    issuer,
    onRefused: createRefusalPrinter(),
  })
  if (authorityFile !== undefined) writeAuthority(authorityFile, hosted.root)
  return hosted
}

function writeAuthority(file: string, root: string): void {
  try {
    fs.writeFileSync(file, root)
  } catch (error) {
    throw new CofferError('invalid', `${file} cannot be written: ${describeSystemError(error)}.`)
  }
}

/** Opens the listener. Throws `conflict` with a free port and `more`. */
async function startListener(host: Host, more = ''): Promise<Extract<ListenerState, { state: 'on' }>> {
  const listener = await host.startListener()
  if (listener.state === 'on') return listener
  throw toListenerError(listener, more)
}

function describeUnseenKeys(options: ServeOptions): string {
  return ` The vault was created, and its keys were not shown: ${makeKeysHint(toVaultLocation(options))}`
}

function printNotices(host: Host, opened: ServedVault): void {
  // `unlockExisting` has already printed the upgrade notice.
  const upgradeNotice = opened.state === 'opened' ? opened.vault.upgrade : undefined
  for (const notice of host.notices) if (notice !== upgradeNotice) printHint(notice)
}

type ServedVault = OpenVaultResult | LockedVault

/** Stores what the options and the seed add to a vault and to the settings. */
async function applyStored({
  host,
  options,
  seed,
  opened,
}: Omit<ServeContext, 'log'> & { readonly opened: ServedVault }): Promise<void> {
  if (typeof options.reactors === 'string') await storeFolder(options.reactors, opened, host)
  if (!options.keep || !seed) return
  if (seed.value.run_reactors) await host.updateSettings({ reactors: true })
  if (seed.value.destinations) await keepDestinations(host, toVaultLocation(options).dataDir)
}

type ServedHost = Pick<ServeContext, 'host' | 'options'> & {
  readonly opened: ServedVault
  readonly url: string
  readonly window: Console | undefined
  readonly hosted: AsHosted | undefined
  /** Set while code may run. */
  readonly isolation: Isolation | undefined
}

/** Prints the banner or, with `--json`, its facts. */
function printServed({ host, options, opened, url, window, hosted, isolation }: ServedHost): void {
  const { faults, settings } = host.getStatus()
  const { destinations, reactors } = settings
  const info = {
    url,
    tenant_id: opened.state === 'locked' ? null : opened.vault.engine.tenant_id,
    ...describeCreated(opened),
    ...(window && { console: window.launchLink() }),
    ...(faults.length > 0 && { faults }),
    ...(hasDestinations(destinations) && { destinations }),
    ...(reactors && { reactors }),
    ...(isolation && { code_isolation: describeIsolation(isolation) }),
    ...(hosted && { as_hosted: describeHosted(hosted) }),
  }
  if (options.json) {
    printLine(JSON.stringify(info))
    return
  }
  printBanner({
    ...info,
    name: opened.state === 'locked' ? options.vault : opened.vault.name,
    state: opened.state,
    ...(opened.state === 'locked' && { reason: opened.reason }),
    // Counted from the start of the process, because that is how long the user waits.
    ready_ms: Math.round(performance.now() - getPromptMs()),
    keys_command: formatVaultCommand(toVaultLocation(options), 'keys', 'create', '--type', 'private'),
  })
}

/** Returns what programs need to find the names of the hosted service. */
function describeHosted({ origins, port, chromium, ...hosted }: AsHosted): HostedFacts {
  const environment = hosted.createEnvironment(process.env)
  return { origins, port, chromium, environment, shell_file: hosted.writeShellFile(environment) }
}

/** Returns what is shown only once: the secrets of a vault that was just created. */
function describeCreated(opened: ServedVault) {
  if (opened.state === 'locked') return { created: false, locked: true } as const
  if (!('keys' in opened)) return { created: false }
  const { keys, client_keys, recovery_key } = opened
  return {
    created: true,
    keys,
    ...(client_keys.length > 0 && { client_keys }),
    ...(recovery_key !== undefined && { recovery_key }),
  }
}

function limitMemory(): void {
  // By default Node lets its heap grow fourfold before it collects garbage. Set only now, because a tighter limit would
  // slow the start.
  v8.setFlagsFromString('--heap-growing-percent=50')
  // SECURITY: memory that a thread of V8 frees stays in that thread's cache, where a lock cannot overwrite it.
  v8.setFlagsFromString('--no-concurrent-array-buffer-sweeping')
}

function printLink(link: string): void {
  printHint(`Open the window with this link, which works once: ${link}`)
}

/** Stores the reactors of a folder. In an in-memory vault, they become part of the state that a reset restores. */
async function storeFolder(folder: string, opened: ServedVault, { reactors }: Host): Promise<void> {
  const { readReactors, storeReactors } = await import('../../host/reactors/folder.ts')
  const files = readReactors(folder)
  if (opened.state === 'locked') return
  const compileCode = (code: string) => reactors.checkSyntax(code)
  for (const message of await storeReactors(opened.vault.engine, files, compileCode))
    printHint(sanitizeText(message))
  opened.vault.controls?.markInitialState()
}

/** Adds the active destinations to the stored ones, so that a vault filled from a seed has them at the next start. */
async function keepDestinations(host: Host, dataDir: string): Promise<void> {
  const stored = new EffectiveSettings(dataDir, {}, () => {}).current.destinations
  const { settings } = host.getStatus()
  await host.updateSettings({ destinations: mergeDestinations(stored, settings.destinations) })
}

/**
 * Returns a function that prints a notice when deletion is paused because the clock is far ahead, once until the clock
 * is accepted or set (case X-45).
 */
function createClockNotice(): (ahead: ClockAhead | null) => void {
  let hasPrinted = false
  return (ahead) => {
    if (ahead && !hasPrinted) {
      printHint(
        `${formatClockAhead(ahead)} Until you confirm the date, nothing is deleted. If the date is right, start Coffer with --accept-clock. If it is wrong, set the clock.`,
      )
    }
    hasPrinted = ahead !== null
  }
}

function vaultFolderExists(options: ServeOptions): boolean {
  const { dataDir, vault } = toVaultLocation(options)
  return fs.existsSync(getVaultFiles(dataDir, vault).folder)
}

function toListenerError(listener: Exclude<ListenerState, { state: 'on' }>, more: string): CofferError {
  if (listener.state === 'off') return new CofferError('internal', 'The listener did not open.')
  const { reason, next_port } = listener
  const next = next_port === undefined ? '' : ` Port ${next_port} is free: --port ${next_port}.`
  return new CofferError('conflict', `${reason}${next} Any free port: --port 0.${more}`)
}

async function openServed(
  host: Host,
  options: ServeOptions,
  seed: Parsed<Seed> | undefined,
): Promise<ServedVault> {
  const { engineOptions: engine } = host
  const accept_loss = createAcceptedLoss(options.acceptLoss, host.notices)
  if (options.ephemeral) {
    const { createVaultWithData: newVault } = await import(
      '../../host/initial-data/create-vault-with-data.ts'
    )
    return { state: 'ephemeral', ...(await runWithSeedProgress({ engine, seed }, newVault)) }
  }
  try {
    return await openOrCreate(toVaultLocation(options), { memory: !options.keep, seed, engine, accept_loss })
  } catch (error) {
    if (!options.console || !(error instanceof CofferError) || error.code !== 'locked') throw error
    return { state: 'locked', reason: error.message }
  } finally {
    // SECURITY: a server runs for days and does not need the credential of its vault again.
    clearSecrets()
    discardPendingKey()
  }
}

/** Opens the window on this port, or on any free port if this one is taken. */
async function openWindow(host: Host, port: number): Promise<Console> {
  const { openConsole } = await import('../../http/console.ts')
  const options = {
    folder: windowFolder,
    engine: host.getEngine,
    report: host.reportIncident,
    run: (call: unknown) => runCommand(host, call),
    subscribe: host.subscribe.bind(host),
    ...(!hasTerminal() && { onSignedOut: printLink }),
  }
  try {
    return await openConsole({ ...options, port: port > 65535 ? 0 : port })
  } catch (error) {
    if (error instanceof CofferError && error.code === 'conflict') return openConsole({ ...options, port: 0 })
    throw error
  }
}

/**
 * Finishes work in progress, then exits with code 0. A second signal exits immediately, with the code of that signal. A
 * second SIGHUP is ignored, because both the system and the shell send one when a terminal is closed.
 */
function stopOnSignal(untilInputEnds: boolean, close: () => Promise<void>): void {
  let stopping = false
  const stopServing = async (signal?: NodeJS.Signals) => {
    if (stopping && signal === 'SIGHUP') return
    if (stopping) process.exit(signal ? toExitCode(signal) : 0)
    stopping = true
    await close()
    process.exit(process.exitCode ?? 0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stopServing)
  watchParent(() => void stopServing())
  if (untilInputEnds) process.stdin.on('end', () => void stopServing()).resume()
}
