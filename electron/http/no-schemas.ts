/** SECURITY: a schema that Fastify was given would otherwise look as if it were checked. */
function rejectSchemas(): never {
  throw new Error('Routes have no JSON schemas: the engine checks inputs and outputs.')
}

/**
 * For `schemaController` of every server: Fastify then loads no compilers of JSON schemas, which the packed program
 * does not have.
 */
export const noSchemas = {
  compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas },
}
