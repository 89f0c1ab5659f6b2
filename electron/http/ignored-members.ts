import type { FastifyInstance } from 'fastify'
import type { IgnoredMember } from '../../shared/validation.ts'

export const IGNORED_HEADER = 'Coffer-Ignored'

const MAX_NAME_LENGTH = 100

/** Adds a header to each response that names the unknown members and parameters that were ignored (rule A-08). */
export function nameIgnoredMembers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.ignored?.length) reply.header(IGNORED_HEADER, formatIgnored(request.ignored))
    done()
  })
}

/** SECURITY: the caller chose these names, so nothing that could end a header or a name is left in them. */
function formatIgnored(ignored: readonly IgnoredMember[]): string {
  return ignored.map(({ name }) => name.replace(/[^\w.[\]$-]+/g, '?').slice(0, MAX_NAME_LENGTH)).join(', ')
}
