import { z } from '../zod.ts'

/** The first steps that anyone has done in a vault, according to its file. */
export const stepsInVault = z.object({
  created_at: z.string(),
  token: z.boolean(),
  /** The id of the newest token, for the step that makes a proxied call. */
  token_id: z.string().nullable(),
  application: z.boolean(),
  proxied_call: z.boolean(),
  webhook: z.boolean(),
})

/** All first steps; `backup` is null for a vault that cannot be backed up. */
export const firstSteps = stepsInVault.extend({ backup: z.boolean().nullable() })
export type FirstSteps = z.output<typeof firstSteps>
