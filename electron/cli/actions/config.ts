import fs from 'node:fs'
import path from 'node:path'
import { capitalizeFirst } from '../../../shared/entities.ts'
import { mapSettingOptions, settingOptions } from '../../../shared/host/setting-options.ts'
import { faultRules } from '../../../shared/schemas/fault.ts'
import { z } from '../../../shared/zod.ts'
import { config } from '../terminal/config-file.ts'
import { schemaName } from '../terminal/serve-options.ts'
import { printLine } from '../terminal/vault-options.ts'

/**
 * The seed schema is loaded on demand, because it includes the engine's input schemas, which nothing else in this file
 * needs.
 */
const fileSchemas = {
  config: async () => config,
  seed: async () => (await import('../../host/initial-data/seed/seed.ts')).seed,
  // A file may be the list alone.
  faults: async () => z.union([faultRules.shape.rules, faultRules]),
}

export type SchemaOf = keyof typeof fileSchemas

/** Prints the JSON schema of a kind of file, or, without `of`, a configuration to start from. */
export async function printConfig(of: SchemaOf | undefined): Promise<void> {
  printLine(of ? JSON.stringify(await getJsonSchema(of), null, 2) : createConfigTemplate(getSchemaPath()))
}

/** Returns the JSON schema of a file that `coffer serve` reads, for validation in editors. */
export async function getJsonSchema(of: SchemaOf): Promise<object> {
  const { $schema, ...rest } = z.toJSONSchema(await fileSchemas[of](), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  })
  return { $schema, title: `coffer.${of}.yaml`, ...rest }
}

/**
 * Returns the path of the configuration's JSON schema: relative to the working directory if the package is installed
 * below it, otherwise just the file name.
 */
function getSchemaPath(): string {
  // Both the built file and the source are below the root of the package.
  const folders = [path.join('..', '..'), path.join('..', '..', '..')]
  const files = folders.map((up) => path.join(import.meta.dirname, up, schemaName))
  const file = files.find((each) => fs.existsSync(each))
  const relative = file === undefined ? '..' : path.relative(process.cwd(), file)
  return relative.startsWith('..') || path.isAbsolute(relative) ? schemaName : relative.replaceAll('\\', '/')
}

function formatSwitches(): string {
  const switches = mapSettingOptions((name) => `# ${capitalizeFirst(settingOptions[name])}:\n# ${name}: true`)
  return Object.values(switches).join('\n\n')
}

function createConfigTemplate(schema: string): string {
  return `# yaml-language-server: $schema=./${schema}
# For coffer serve and coffer run in this folder. Options on the command line take precedence.
# Paths are relative to this file.

# An in-memory vault, deleted when Coffer stops:
# ephemeral: true

# Its initial data:
# seed: coffer.seed.yaml

# The port of coffer serve; coffer run takes a free one:
# port: 4747

# One line for each request, without any data: pretty, json or off.
# log: pretty

# The window in a browser:
# console: true

# Pages that may call the vault, and other host names for it:
# cors_origins: [http://localhost:3000]
# allow_hosts: [vault.test]

# Answer by HTTPS under the names of the hosted service too:
# as_hosted: true

# Where proxies and webhooks may call beyond this machine:
# destinations:
#   allow: [api.example.com]
#   map: { 'https://api.example.com': 'http://127.0.0.1:12111' }

# Run reactors, which are programs with network access; with a folder, also store its reactors in the vault:
# reactors: ./reactors

${formatSwitches()}

# Delay, refuse or cut off calls; also the name of a file with such rules:
# faults:
#   - { name: busy, operations: [tokens.create], status: 503, count: 2 }`
}
