import type { Migration } from './migrate.ts'
import { init } from './migrations/0001-init.ts'
import { keyHints } from './migrations/0002-key-hints.ts'

/** Every migration, in order. One that has shipped is never edited. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'init', up: init },
  { version: 2, name: 'key-hints', up: keyHints },
]
