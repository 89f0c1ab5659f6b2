import { z } from '../zod.ts'
import { nameObject } from './common.ts'

/** How people of the tenant sign in to the hosted portal, which Coffer does not have (rule Z-03). */
export const newTenantConnection = z.strictObject({
  strategy: z.string().min(1).max(200),
  options: z.strictObject({ domain_aliases: z.array(z.string().max(500)).max(100) }),
})

/** The response about a connection: only its id. */
export const tenantConnection = nameObject('TenantConnection', { connection_id: z.uuid() })
