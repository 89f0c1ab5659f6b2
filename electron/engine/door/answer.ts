/** What the door answers: success status, output, extra headers. */
export type Answer = {
  readonly status: 200 | 201 | 204
  readonly output: unknown
  readonly headers: Readonly<Record<string, string>>
}
