import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { type ProblemDetails, toErrorCode } from '../../shared/errors.ts'
import type { FaultRule } from '../../shared/schemas/fault.ts'
import type { Faults } from './faults.ts'

type FaultSteps<Result> = {
  readonly call: () => Promise<Result>
  readonly send: (result: Result) => FastifyReply
  readonly recordRejection: (status: number, note: string) => void
}

/**
 * Handles a call to which a fault applies: responds late, with another status, or not at all. The header
 * `Coffer-Fault` contains the name of the fault.
 */
export async function runWithFault<Result>(
  fault: FaultRule,
  reply: FastifyReply,
  { call, send, recordRejection }: FaultSteps<Result>,
  faults: Faults,
): Promise<FastifyReply> {
  reply.header('Coffer-Fault', fault.name)
  const strikes = fault.status !== undefined || fault.cut === true
  if (fault.when === 'before' && strikes) {
    await waitForDelay(fault, reply, faults)
    recordRejection(fault.status ?? 503, `fault ${fault.name}${fault.cut ? ': connection cut' : ''}`)
    return sendFault(fault, reply)
  }
  if (fault.when === 'before') await waitForDelay(fault, reply, faults)
  const result = await call()
  if (fault.when === 'after') await waitForDelay(fault, reply, faults)
  return strikes ? sendFault(fault, reply) : send(result)
}

async function waitForDelay(fault: FaultRule, reply: FastifyReply, faults: Faults): Promise<void> {
  const { delay_ms } = fault
  if (delay_ms === undefined) return
  const controller = new AbortController()
  const abortDelay = () => controller.abort()
  reply.raw.once('close', abortDelay)
  const signal = AbortSignal.any([controller.signal, faults.getReleaseSignal(fault)])
  // The delay rejects, and so ends, when the caller hangs up or the fault is removed.
  await delay(delay_ms, undefined, { signal }).catch(() => {})
  reply.raw.off('close', abortDelay)
}

function sendFault({ name, status, retry_after }: FaultRule, reply: FastifyReply): FastifyReply {
  if (status === undefined) {
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
  if (retry_after !== undefined) reply.header('Retry-After', String(retry_after))
  const problem: ProblemDetails = {
    title: 'Fault',
    status,
    // The same code as that of a real error, so that the client under test reacts in the same way.
    code: toErrorCode(status),
    detail: `The fault "${name}" responded instead of the vault.`,
  }
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(problem))
}
