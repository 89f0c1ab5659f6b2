import type { FastifyRequest } from 'fastify'
import { writeReadableJson } from '../../shared/json.ts'

/** Returns whether the client is curl, whose output a person probably reads in a terminal. */
export function isReadByPerson({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['user-agent']?.startsWith('curl/') ?? false
}

/** Formats JSON: on one line for a program, indented for a person. */
export function formatJsonFor(request: Pick<FastifyRequest, 'headers'>, value: unknown): string {
  return isReadByPerson(request) ? writeReadableJson(value) : JSON.stringify(value)
}

/** Returns a string unchanged, and anything else as indented JSON. */
export function toReadableText(content: unknown): string {
  return typeof content === 'string' ? content : writeReadableJson(content)
}
