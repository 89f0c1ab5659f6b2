import { CofferError } from '../../../shared/errors.ts'
import type { PageIncident } from '../../../shared/schemas/incident.ts'
import { getErrorDetails } from '../messages/error-details.ts'
import { host } from './vault.ts'

/** Errors already reported to the host. */
const reported = new WeakSet<object>()

/**
 * Reports an error of this page to the host, which records it as an incident. Errors the vault answered with are not
 * reported, because the host knows them. SECURITY: the message is not sent, because it may hold data.
 */
export function reportIncident(error: unknown, where: PageIncident['where']): void {
  if (!(error instanceof Error) || error instanceof CofferError || reported.has(error)) return
  reported.add(error)
  // If Coffer itself is gone, nobody can take the report.
  host.host.reportPage({ ...getErrorDetails(error), where }).catch(() => undefined)
}

/** Error handler for background reads that will run again: ignores a refusal, reports an error of the page. */
export function handleBackgroundError(error: unknown): undefined {
  reportIncident(error, 'screen')
}
