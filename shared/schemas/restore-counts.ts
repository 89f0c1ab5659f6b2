import { mapRestored } from '../restore-counts.ts'
import { z } from '../zod.ts'

/** The schema of `RestoreCounts`. */
export const restoreCounts = z.object(mapRestored(() => z.int()))
