import path from 'node:path'
import type { Command } from 'commander'
import { destinations } from '../../../shared/destinations.ts'
import { capitalizeFirst } from '../../../shared/entities.ts'
import { CofferError } from '../../../shared/errors.ts'
import { mapSettingOptions, settingOptions } from '../../../shared/host/setting-options.ts'
import { isHostToAllow, isOrigin } from '../../../shared/origins.ts'
import { faultRules } from '../../../shared/schemas/fault.ts'
import { z } from '../../../shared/zod.ts'
import { describeExposure } from '../../host/files/exposed.ts'
import type { Parsed } from '../../host/files/member-location.ts'
import { readYaml } from '../../host/files/yaml-file.ts'
import { logFormats } from './request-log.ts'
import { configName, isSet, type ResolvedServeOptions, type ServeOptions } from './serve-options.ts'
import { printHint } from './vault-options.ts'

const file = z.string().min(1)
const origin = z.string().refine(isOrigin, 'must be an origin, such as http://localhost:3000')
const host = z
  .string()
  .refine(isHostToAllow, 'must be a host, such as vault.test or vault.test:4747, with a port from 1 to 65535')

export const config = z
  .strictObject({
    port: z.int().min(0).max(65_535).describe('Port of coffer serve; 0 picks a free one.'),
    ephemeral: z.boolean().describe('Use an in-memory vault, deleted when Coffer stops.'),
    seed: file.describe('Fill an in-memory vault from this file, relative to the configuration.'),
    faults: z
      .union([file, faultRules.shape.rules])
      .describe('Delay, refuse or cut off calls: rules, or a file with rules.'),
    reactors: z
      .union([z.boolean(), file])
      .describe(
        'Run the code of reactors and transforms. If this is a folder, also store its reactors in the vault.',
      ),
    destinations: destinations.describe('Where proxies and webhooks may call beyond this machine.'),
    cors_origins: z.array(origin).max(100).describe('Origins of web pages that may call the vault.'),
    allow_hosts: z.array(host).max(100).describe('Other Host headers to accept.'),
    as_hosted: z
      .union([z.boolean(), z.int().min(1).max(65_535)])
      .describe(
        'Also answer by HTTPS under the names of the hosted service, on any free port or on this one.',
      ),
    console: z.boolean().describe('Print a link that opens the window in a browser.'),
    ...mapSettingOptions((name) => z.boolean().describe(`${capitalizeFirst(settingOptions[name])}.`)),
    log: z.enum(logFormats).describe('One line for each request, without any data.'),
  })
  .partial()
type Config = z.output<typeof config>

/** Members that open a vault to pages, programs, code or the network, or disturb its callers. */
const opening = ['faults', 'reactors', 'destinations', 'cors_origins', 'allow_hosts', 'as_hosted'] as const

/**
 * Completes the options of a command from a configuration file. The command line and the environment take precedence.
 * Throws `invalid` with file, line and member.
 */
export function applyConfig(
  configFile: string,
  options: ServeOptions,
  command: Command,
): ResolvedServeOptions {
  const isOwn = (name: keyof ServeOptions) => isSet(command, name)
  if (typeof options.config !== 'string') rejectForeign(configFile)
  const read = readYaml(configFile, config)
  const resolved = { ...options }
  // --keep on the command line selects a vault on disk.
  if (resolved.keep) read.value.ephemeral = false
  for (const [name, value] of Object.entries(toServeOptions(read))) {
    if (value !== undefined && !isOwn(name as keyof ServeOptions)) Object.assign(resolved, { [name]: value })
  }
  if (typeof options.config !== 'string') {
    rejectOpening(read, resolved, isOwn)
    printHint(`Using ${configName} in this folder.`)
  }
  const hasPort = read.value.port !== undefined && command.name() === 'serve'
  return {
    resolved: { ...resolved, ...(!hasPort && { port: options.port }) },
    isPortSet: hasPort || isOwn('port'),
  }
}

/** Converts a configuration to options. Its paths are relative to the folder of the file. */
function toServeOptions({ value, folder }: Parsed<Config>): Partial<ServeOptions> {
  const { seed, faults, reactors, ephemeral, destinations: to } = value
  const resolvePath = <T>(file: T) => (typeof file === 'string' ? path.join(folder, file) : file)
  const options = {
    port: value.port,
    ephemeral: ephemeral || undefined,
    seed: resolvePath(seed),
    faults: resolvePath(faults),
    reactors: resolvePath(reactors || undefined),
    corsOrigin: value.cors_origins,
    allowHost: value.allow_hosts,
    allowDestination: to?.allow,
    mapDestination: to?.map,
    asHosted: value.as_hosted || undefined,
    console: value.console,
    log: value.log,
    ...mapSettingOptions((name) => value[name]),
  }
  return options as Partial<ServeOptions>
}

/** SECURITY: rejects a file that another user could have written, for example in a shared folder. */
function rejectForeign(configFile: string): void {
  const exposure = describeExposure(configFile)
  if (exposure === null) return
  throw new CofferError(
    'forbidden',
    `${exposure} To use it anyway, add --config ${configName}. To ignore it, add --no-config`,
  )
}

/**
 * SECURITY: a folder that was cloned or unpacked may contain a configuration that the owner has not read. The
 * configuration must not open the owner's vault to code, pages or the network unless the owner names it.
 */
function rejectOpening(
  { value, at }: Parsed<Config>,
  { ephemeral, seed, keep }: ServeOptions,
  isOwn: (name: keyof ServeOptions) => boolean,
): void {
  const isInMemory = ephemeral === true || (seed !== undefined && !keep)
  const names = {
    faults: 'faults',
    reactors: 'reactors',
    cors_origins: 'corsOrigin',
    allow_hosts: 'allowHost',
    as_hosted: 'asHosted',
  }
  const member = opening.find(
    (name) =>
      value[name] !== undefined &&
      value[name] !== false &&
      !(name in names && isOwn(names[name as keyof typeof names] as keyof ServeOptions)),
  )
  if (isInMemory || member === undefined) return
  throw new CofferError(
    'invalid',
    `${at(member)} would apply to a vault on disk, but --config does not name the file. If you trust it, add --config ${configName}. For an in-memory vault, write ephemeral: true.`,
  )
}
