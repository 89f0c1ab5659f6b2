/**
 * The entries of a data folder that are not vaults. A name listed here is reserved and cannot be the name of a vault
 * . New entries should begin with a dot, which no vault name does.
 */
export const inDataFolder = {
  /** The authority that `coffer trust` creates. */
  authority: '.authority',
  backups: 'backups',
  control: '.control',
  packages: '.packages',
  /** The folder that held packages up to version 0.2. */
  packagesBefore: 'packages',
  settings: 'settings.json',
  /** Chromium's own files. */
  window: '.window',
} as const
