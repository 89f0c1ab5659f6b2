import { type SettingName, settings } from '../settings.ts'
import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'

/** The tenant in a response (rule O-06). */
export const tenant = nameObject('Tenant', {
  id: z.uuid(),
  owner_id: z.uuid(),
  name: z.string(),
  type: z.string(),
  settings: z.record(z.string(), z.string()),
  created_by: z.uuid(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
})

const settingNames = Object.keys(settings.shape) as SettingName[]

/** Settings to change: a string, or null for the default; absent settings stay unchanged (rules O-06, A-08). */
const settingsPatch = z.lazy(() =>
  z.strictObject(
    Object.fromEntries(
      settingNames.map((name) => [
        name,
        z
          .string()
          .max(100)
          .meta(settings.shape[name].meta() ?? {})
          .nullable()
          .optional(),
      ]),
    ) as Record<SettingName, z.ZodOptional<z.ZodNullable<z.ZodString>>>,
  ),
)
export type SettingsPatch = z.output<typeof settingsPatch>

export const tenantUpdate = z.strictObject({
  name: z.string().min(1).max(200),
  settings: optionalField(settingsPatch),
})

/** How many tokens the tenant has (rule O-06). */
export const usageReport = nameObject('UsageReport', {
  total_tokens: z.int(),
  token_report: z.object({
    total_tokens: z.int(),
    metrics_by_type: z.record(
      z.string(),
      z.object({ count: z.int(), last_created_at: z.string().optional() }),
    ),
  }),
})
