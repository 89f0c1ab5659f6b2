import { CofferError } from '../../../shared/errors.ts'
import type { PageIncident } from '../../../shared/schemas/incident.ts'
import { host } from './vault.ts'

/** Errors the host was told of. */
const told = new WeakSet<object>()

/**
 * Tells the host of an error of this page, so that it is found among the incidents. What the vault answered with is
 * none: the host knows of it. SECURITY: without the message, which may hold data.
 */
export function reportIncident(error: unknown, where: PageIncident['where']): void {
  if (!(error instanceof Error) || error instanceof CofferError || told.has(error)) return
  told.add(error)
  const { name, message, stack = '' } = error
  const at = message === '' ? -1 : stack.indexOf(message)
  const frames = at < 0 ? stack : stack.slice(at + message.length)
  const given = { class: name.slice(0, 100), stack: frames.slice(0, 8000), where }
  // Where Coffer itself is gone, there is nobody to tell.
  host.host.reportPage(given).catch(() => undefined)
}

/** For what is read beside the point, and read again later: a refusal is passed over, an error of the page is not. */
export function passOver(error: unknown): undefined {
  reportIncident(error, 'screen')
}
