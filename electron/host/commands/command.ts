import { z } from '../../../shared/zod.ts'
import type { Host } from '../host.ts'

/** The input or output of a command that has none. */
const nothing = z.strictObject({})
type Nothing = typeof nothing

/** One host command. Its name on the wire and the method of the window's client are derived from this object. */
export type HostCommand<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly input: Input
  readonly output: Output
  // A method, because TypeScript checks the parameters of methods less strictly, so a catalogue can contain commands
  // with any input.
  handler(host: Host, input: z.output<Input>): z.input<Output> | Promise<z.input<Output>>
}

/** Defines a command. Its types follow from its schemas. Without an input, it takes nothing. */
export function defineCommand<Output extends z.ZodType, Input extends z.ZodType = Nothing>(
  definition: Pick<HostCommand<Input, Output>, 'output' | 'handler'> & { readonly input?: Input },
): HostCommand<Input, Output> {
  return { input: nothing, ...definition } as HostCommand<Input, Output>
}

/** Defines a command that returns nothing. Without an input, it takes nothing either. */
export function defineAction<Input extends z.ZodType = Nothing>({
  input,
  handler,
}: {
  readonly input?: Input
  handler(host: Host, input: z.output<Input>): unknown
}): HostCommand<Input, Nothing> {
  return defineCommand({
    ...(input && { input }),
    output: nothing,
    async handler(host, value) {
      await handler(host, value)
      return {}
    },
  })
}

/** The name of a file. */
export const file = z.string().min(1).max(4096)
/** The credential that opens a vault. */
export const credential = z.union([
  z.strictObject({ keychain: z.literal(true) }),
  z.strictObject({ passphrase: z.string().max(1000) }),
  z.strictObject({ recovery_key: z.string().max(200) }),
])
/** The new protection of a stored vault. */
export const protection = z.union([
  z.strictObject({ keychain: z.literal(true) }),
  z.strictObject({ passphrase: z.string().max(1000) }),
])
