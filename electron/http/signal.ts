import type { FastifyReply } from 'fastify'

/** Creates a signal that aborts when the caller hangs up before the response is complete. */
export function createHangUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (reply.raw.destroyed) controller.abort()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
