import fs from 'node:fs'
import path from 'node:path'
import { faultRules } from '../../../shared/schemas/fault.ts'
import { z } from '../../../shared/zod.ts'
import { config } from '../terminal/config-file.ts'
import { schemaName } from '../terminal/serve-options.ts'
import { printLine } from '../terminal/vault-options.ts'

/** Seeds hold the engine's own inputs, which no other command of this file needs. */
const fileSchemas = {
  config: async () => config,
  seed: async () => (await import('../../host/initial-data/seed/seed.ts')).seed,
  faults: async () => faultRules,
}

/** The kinds of files that have a schema. */
export type SchemaOf = keyof typeof fileSchemas

/** Prints the configuration to begin with, or the schema of a file. */
export async function printConfig(of: SchemaOf | undefined): Promise<void> {
  printLine(of ? JSON.stringify(await getJsonSchema(of), null, 2) : configTemplate(schemaPath()))
}

/** The JSON schema of a file that `coffer serve` reads, for editors. */
export async function getJsonSchema(of: SchemaOf): Promise<object> {
  const { $schema, ...rest } = z.toJSONSchema(await fileSchemas[of](), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  })
  return { $schema, title: `coffer.${of}.yaml`, ...rest }
}

/** Where an editor finds the schema: in the package, if the project has it installed. */
function schemaPath(): string {
  // Both the built file and the source lie below the root of the package.
  const folders = [path.join('..', '..'), path.join('..', '..', '..')]
  const files = folders.map((up) => path.join(import.meta.dirname, up, schemaName))
  const file = files.find((each) => fs.existsSync(each))
  const relative = file === undefined ? '..' : path.relative(process.cwd(), file)
  return relative.startsWith('..') || path.isAbsolute(relative) ? schemaName : relative.replaceAll('\\', '/')
}

/** A configuration in which everything is commented out. */
function configTemplate(schema: string): string {
  return `# yaml-language-server: $schema=./${schema}
# For coffer serve and coffer run in this folder. Options on the command line win.
# Paths are relative to this file.

# A vault in memory, gone when Coffer stops:
# ephemeral: true

# What it begins with:
# seed: coffer.seed.yaml

# The port of coffer serve; coffer run takes a free one:
# port: 4747

# One line for each request, without any data: pretty, json or off.
# log: pretty

# The window in a browser:
# console: true

# Pages that may call the vault, and other names it is called by:
# cors_origins: [http://localhost:3000]
# allow_hosts: [vault.test]

# Where proxies and webhooks may call beyond this machine:
# destinations:
#   allow: [api.example.com]
#   map: { 'https://api.example.com': 'http://127.0.0.1:12111' }

# Run the code of reactors, programs with network access; a folder names reactors to store:
# reactors: ./reactors

# Delay, refuse or cut off calls; or the name of a file of such rules:
# faults:
#   - { name: busy, operations: [tokens.create], status: 503, count: 2 }`
}
