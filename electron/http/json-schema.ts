/** A JSON schema, or another object of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>
