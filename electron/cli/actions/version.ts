import { migrations, readSqliteVersion } from '../../engine/index.ts'
import { printLine } from '../terminal/vault-options.ts'

/** Prints what a bug report needs to say about this Coffer and its machine, as one line of JSON. */
export function printVersions(version: string): void {
  const { platform, arch, versions } = process
  const sqlite = readSqliteVersion()
  printLine(
    JSON.stringify({ version, format: migrations.length, node: versions.node, sqlite, platform, arch }),
  )
}
