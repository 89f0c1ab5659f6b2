import fs from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isAllowable, parseOrigin } from '../../../shared/destination-names.ts'
import type { Destinations } from '../../../shared/destinations.ts'
import {
  mapSettingOptions,
  type SettingOption,
  settingOptions,
} from '../../../shared/host/setting-options.ts'
import { isHostToAllow, isOrigin } from '../../../shared/origins.ts'
import type { FaultRule } from '../../../shared/schemas/fault.ts'
import type { CofferCommand } from './coffer-command.ts'
import { type LogFormat, logFormats } from './request-log.ts'
import { UsageError } from './usage-error.ts'
import { parsePort } from './vault-options.ts'

/** The options of `coffer serve` and `coffer run`. */
export type ServeOptions = { [Name in SettingOption]?: boolean } & {
  dataDir?: string
  vault: string
  port: number
  ephemeral?: true
  seed?: string
  keep?: true
  /** A file, or the rules themselves from a configuration. */
  faults?: string | readonly FaultRule[]
  untilInputEnds?: true
  detach?: true
  acceptClock?: true
  /** A command for a shell, or a program with its arguments. */
  run?: string | readonly string[]
  console: boolean
  corsOrigin: string[]
  allowHost: string[]
  publishedPort?: number
  allowDestination: string[]
  mapDestination: Destinations['map']
  reactors?: true | string
  /** True, or the port to answer on. */
  asHosted?: true | number
  authorityFile?: string
  acceptLoss?: number
  json?: true
  log?: LogFormat
  config: boolean | string
}

/** The configuration file that `coffer serve` and `coffer run` look for in the working directory. */
export const configName = 'coffer.config.yaml'

/** The JSON schema of that file, in the package. */
export const schemaName = 'coffer.config.schema.json'

const MAX_HOST_LENGTH = 255

const collectValue = (value: string, before: string[]) => [...before, value]

/** Adds the options that a configuration file can set too, except for the port. */
export function withServing(command: CofferCommand): CofferCommand {
  mapSettingOptions((name) => command.option(`--${name}`, settingOptions[name]))
  return command
    .option('--config <file>', `read options that are not set here from this file instead of ${configName}`)
    .option('--no-config', `ignore a ${configName} in the working directory`)
    .option('--seed <file>', 'fill a new vault from a YAML or JSON file; in memory unless --keep')
    .option('--faults <file>', 'delay, refuse or cut off calls, according to the rules in this file')
    .option(
      '--cors-origin <url>',
      'origin of a web page that may call the vault; repeatable',
      collectValue,
      [],
    )
    .option('--allow-host <host>', 'another Host header to accept; repeatable', collectValue, [])
    .addOption(
      new Option(
        '--allow-destination <host>',
        'a host or network beyond this machine that proxies and webhooks may call; repeatable',
      )
        .argParser((text, before: string[]) => [...before, parseAllowed(text)])
        .default([]),
    )
    .addOption(createMapOption('redirect calls from one origin to another, such as a local mock; repeatable'))
    .option(
      '--reactors [folder]',
      'run reactors and code transforms, which have network access; with a folder, also store its reactors in the vault',
    )
    .addOption(
      new Option(
        '--as-hosted [port]',
        'also answer by HTTPS under the names of the hosted service, for programs that have them in their code; on any free port, or on this one',
      ).argParser(parsePort),
    )
    .option(
      '--authority-file <file>',
      'with --as-hosted, also write the certificate that clients are to trust to this file, for other containers',
    )
    .addOption(
      new Option('--log <format>', 'print one line for each request, without any data').choices([
        ...logFormats,
      ]),
    )
}

/** The options of a command with its configuration, and whether the port was set. */
export type ResolvedServeOptions = { readonly resolved: ServeOptions; readonly isPortSet: boolean }

/** Whether the command line or the environment sets an option. */
export function isSet(command: Command, name: string): boolean {
  return ['cli', 'env'].includes(command.getOptionValueSource(name) ?? 'default')
}

/** Returns the configuration file that the option names, or the one in the working directory. */
export function findConfig(option: boolean | string): string | undefined {
  if (option === false) return undefined
  if (typeof option === 'string') return option
  return fs.existsSync(configName) ? configName : undefined
}

/** Checks the options that commander does not check. Throws a usage error if one of them is invalid. */
export function checkServing({ corsOrigin, allowHost, run }: ServeOptions): void {
  if (typeof run === 'string' && run.trim() === '') throw new UsageError('--run needs a command.')
  for (const origin of corsOrigin) checkOrigin(origin)
  for (const name of allowHost) checkHost(name)
}

function checkOrigin(origin: string): void {
  if (isOrigin(origin)) return
  throw new UsageError('An origin is scheme, host and port without a path, such as http://localhost:3000.')
}

function checkHost(name: string): void {
  if (isHostToAllow(name)) return
  throw new UsageError(
    'A host is a name, with or without a port from 1 to 65535, such as vault.test or vault.test:4747.',
  )
}

function parseAllowed(text: string): string {
  const entry = text.trim().toLowerCase()
  if (text.length <= MAX_HOST_LENGTH && isAllowable(entry)) return entry
  throw new InvalidArgumentError(
    'A destination to allow is a host without https://, such as api.example.com, *.example.com or *, or an IP address or network, such as 10.0.0.0/8.',
  )
}

/** The option that maps origins. */
export function createMapOption(description: string): Option {
  return new Option('--map-destination <from=to>', description).argParser(parseMap).default({})
}

function parseMap(text: string, before: Destinations['map']): Destinations['map'] {
  const [from, to] = text
    .split('=')
    .map((side) => (side.length <= MAX_HOST_LENGTH ? parseOrigin(side.trim()) : undefined))
  if (from === undefined || to === undefined || text.split('=').length !== 2) {
    throw new InvalidArgumentError(
      'A mapping is two origins separated by =, such as https://api.example.com=http://127.0.0.1:12111.',
    )
  }
  if (Object.hasOwn(before, from)) throw new InvalidArgumentError('An origin can be mapped only once.')
  return { ...before, [from]: to }
}
