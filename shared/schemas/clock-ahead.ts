import { mapExpiring } from '../clock-ahead.ts'
import { z } from '../zod.ts'

/** The schema of `ClockAhead`. */
export const clockAhead = z.object({ days: z.int(), overdue: z.object(mapExpiring(() => z.int())) })
