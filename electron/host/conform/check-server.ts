import type { ConformReport } from '../../../shared/schemas/conform.ts'
import type { ConformKeys } from '../../conform/check-statement.ts'
import { ConformServer } from '../../conform/conform-server.ts'
import { runStatements } from '../../conform/run-statements.ts'
import type { Statement } from '../../conform/statement.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { JobWatch } from '../jobs/background.ts'
import { LeftoversFile } from './leftovers-file.ts'

export type CheckedServer = {
  readonly url: string
  readonly keys: ConformKeys
  readonly outbound: Pick<Outbound, 'send'>
  /** Where the list of what the run creates is stored until it is deleted. */
  readonly dataDir: string
}

/** Checks statements against a server. Throws what `runStatements` throws. */
export function checkServer(
  { url, keys, outbound, dataDir }: CheckedServer,
  statements: Readonly<Record<string, readonly Statement[]>>,
  watch: JobWatch,
): Promise<ConformReport> {
  return runStatements({
    server: new ConformServer({ url, outbound, managementKey: keys.management }),
    statements,
    keys,
    leftovers: LeftoversFile.openFile(dataDir, url, keys.key),
    ...watch,
  })
}
