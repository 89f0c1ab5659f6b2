/** SECURITY: rejects schemas of routes, because a route's JSON schema would look enforced without being checked. */
function rejectSchemas(): never {
  throw new Error('Routes have no JSON schemas: the engine checks inputs and outputs.')
}

/**
 * The `schemaController` of every server. With it, Fastify does not load its JSON schema compilers, which the packed
 * program does not include.
 */
export const noSchemas = {
  compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas },
}
