import type { ErrorCode } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { z } from '../../shared/zod.ts'
import type { JsonSchema } from './json-schema.ts'

/** A route that is not an operation. Its object also has the handler, so that nothing lists the route twice. */
export type OwnRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path template, such as `/_coffer/snapshots/{name}`. */
  readonly path: string
  /** The name, in the form of an operation's name: `sandbox.reset`. */
  readonly name: string
  /** The tag in the OpenAPI document; by default, the tag of Coffer's own routes. */
  readonly tag?: string
  readonly summary: string
  readonly description: string
  /** The permission that a key needs. Without it, the route needs no key. */
  readonly permission?: Permission
  readonly body?: z.ZodType | undefined
  readonly example?: Json | undefined
  /** The schema of a JSON response, or the description of another one. Without it, the response is a 204. */
  readonly output?: z.ZodType | undefined
  readonly response?: JsonSchema
  readonly refusals: readonly ErrorCode[]
}

/** Returns a path in the syntax of Fastify: `/tokens/:id` for `/tokens/{id}`. */
export function toFastifyPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
