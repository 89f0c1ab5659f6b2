import type { Migration } from './migrate.ts'
import { init } from './migrations/0001-init.ts'
import { logSearch } from './migrations/0002-log-search.ts'

/** Every migration, in order. One that has shipped is never edited. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'init', up: init },
  { version: 2, name: 'log-search', up: logSearch },
]
