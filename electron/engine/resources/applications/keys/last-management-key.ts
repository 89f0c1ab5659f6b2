import type { ApplicationType } from '../../../../../shared/permissions.ts'
import type { Context } from '../../../pipeline/context.ts'
import { countManagementKeys } from './store.ts'

/** Adds a `Warning` header if no management key is left (rule K-05). */
export function warnIfNoManagementKey(context: Context, type: ApplicationType): void {
  if (type !== 'management' || countManagementKeys(context.db, context.now) > 0) return
  context.setHeader(
    'Warning',
    '299 coffer "No management key is left. Create one in the application or with: coffer keys create --type management"',
  )
}
