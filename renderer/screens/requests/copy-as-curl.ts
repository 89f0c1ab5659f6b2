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
  const record = await vault.logs.get({ id })
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
