import type { Statement } from '../statement.ts'
import { tokens } from './tokens.ts'

/** Every statement, by area. */
export const statements: Readonly<Record<string, readonly Statement[]>> = { tokens }
