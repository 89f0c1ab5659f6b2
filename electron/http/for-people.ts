import type { FastifyRequest } from 'fastify'
import { writeReadableJson } from '../../shared/json.ts'

/** Whether a person reads the answer as it is sent: curl prints it at their terminal. */
export function isReadByPerson({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['user-agent']?.startsWith('curl/') ?? false
}

/** JSON as its reader wants it: on one line for a program, laid out for a person. */
export function formatJsonFor(request: Pick<FastifyRequest, 'headers'>, value: unknown): string {
  return isReadByPerson(request) ? writeReadableJson(value) : JSON.stringify(value)
}

/** A text as it is; anything else as JSON for a person. */
export function readableAnswer(answer: unknown): string {
  return typeof answer === 'string' ? answer : writeReadableJson(answer)
}
