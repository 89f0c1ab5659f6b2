import type { FastifyReply } from 'fastify'

/** Aborts when the caller hangs up before it is answered. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (reply.raw.destroyed) gone.abort()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}
