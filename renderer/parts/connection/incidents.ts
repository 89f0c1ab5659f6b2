import { CofferError } from '../../../shared/errors.ts'
import type { PageIncident } from '../../../shared/schemas/incident.ts'
import { getErrorDetails } from '../messages/error-details.ts'
import { host } from './vault.ts'

const reported = new WeakSet<object>()

/**
 * Reports an error of this page to the host, which records it as an incident. Errors returned by the vault are not
 * reported, because the host has recorded them. SECURITY: the message is not sent, because it may hold data.
 */
export function reportIncident(error: unknown, where: PageIncident['where']): void {
  if (!(error instanceof Error) || error instanceof CofferError || reported.has(error)) return
  reported.add(error)
  // If Coffer itself does not respond, the report is lost.
  host.reportPage({ ...getErrorDetails(error), where }).catch(() => undefined)
}

/** Error handler for background reads that will be repeated: ignores refusals, and reports errors of the page. */
export function handleBackgroundError(error: unknown): undefined {
  reportIncident(error, 'screen')
}
