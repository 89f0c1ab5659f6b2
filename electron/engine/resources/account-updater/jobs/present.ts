import type { AccountUpdaterJob } from '../../../../../shared/schemas/account-updater.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { deriveOwnerId } from '../../../access/owner-id.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { JobRow } from './store.ts'

/** Returns a job in the format of the API, with URLs of the listener that was asked (rule Z-03). */
export function toJob({ tenant_id, base_url }: Context, row: JobRow): AccountUpdaterJob {
  const upload_url = `${base_url}/account-updater/uploads/${row.upload_key}`
  const download_url = `${base_url}/account-updater/downloads/${row.download_key}`
  const created_by = row.created_by ?? deriveOwnerId(tenant_id)
  const created_at = formatIsoTime(row.created_at)
  const expires_at = formatIsoTime(row.expires_at)
  const isPending = row.status === 'pending'
  return {
    id: row.id,
    tenant_id,
    status: row.status,
    upload_url,
    created_by,
    created_at,
    ...(isPending && { expires_at, expiresAt: expires_at }),
    ...(row.error !== null && { errors: [row.error] }),
    ...(!isPending && { requests: row.requests, results: JSON.parse(row.results) }),
    ...(row.status === 'completed' && { download_url, downloadUrl: download_url }),
    tenantId: tenant_id,
    uploadUrl: upload_url,
    createdBy: created_by,
    createdAt: created_at,
  }
}

export function toJobEventData({ id, status }: Pick<JobRow, 'id' | 'status'>) {
  return { job: { id, status } }
}
