import type { FullLog } from '../../../shared/schemas/log.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { formatCurl } from '../../parts/api/snippets.ts'
import { vault } from '../../parts/connection/vault.ts'
import { formatRequestPath, parseDraftBody } from './request-draft.ts'
import { reconstructRequest } from './resend.ts'
import { strings } from './strings.ts'

/**
 * Returns the request of a record as a curl command. The log has no body and no key, so the command names what is
 * missing in comments before it.
 */
export async function formatRecordAsCurl(
  id: string,
  operation: ApiOperation,
  baseUrl: string,
): Promise<string> {
  return formatAsCurl(await vault.logs.get({ id }), operation, baseUrl)
}

function formatAsCurl(record: FullLog, operation: ApiOperation, baseUrl: string): string {
  const { draft, lost } = reconstructRequest(operation, record)
  const command = formatCurl({
    method: operation.method,
    url: baseUrl + formatRequestPath(operation, draft),
    key: strings.build.keyHint,
    body: operation.body && !lost.includes('body') ? parseDraftBody(draft) : undefined,
  })
  return [
    ...lost.filter((part) => part !== 'key').map((part) => `# ${strings.build.lost[part]}`),
    command,
  ].join('\n')
}

type CopiedRecords = {
  readonly text: string
  /** The number of records that are requests of the API. */
  readonly copied: number
}

/** Returns the requests of several records as curl commands. Leaves out records that are not requests of the API. */
export async function formatRecordsAsCurl(
  ids: readonly string[],
  operations: readonly ApiOperation[],
  baseUrl: string,
): Promise<CopiedRecords> {
  const records = await Promise.all(ids.map((id) => vault.logs.get({ id })))
  const commands = records
    .sort((a, b) => a.created_at.localeCompare(b.created_at))
    .flatMap((record) => {
      const operation = operations.find(({ id }) => id === record.action)
      return operation ? [formatAsCurl(record, operation, baseUrl)] : []
    })
  return { text: commands.join('\n\n'), copied: commands.length }
}
