import { z } from '../zod.ts'

/** The first steps that have been taken in a vault, by whomever, as its file tells. */
export const stepsInVault = z.object({
  created_at: z.string(),
  token: z.boolean(),
  /** The newest token, for the call through the proxy. */
  token_id: z.string().nullable(),
  application: z.boolean(),
  proxied_call: z.boolean(),
  webhook: z.boolean(),
})

/** All first steps; `backup` is null where none can be made. */
export const firstSteps = stepsInVault.extend({ backup: z.boolean().nullable() })
export type FirstSteps = z.output<typeof firstSteps>
