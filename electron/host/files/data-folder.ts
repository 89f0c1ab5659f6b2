/**
 * What lies in a data folder beside the vaults, by name. A name that a vault could have is reserved by standing here
 * what is new should begin with a dot, as no vault does.
 */
export const inDataFolder = {
  backups: 'backups',
  control: '.control',
  packages: '.packages',
  /** Where packages were until version 0.2. */
  packagesBefore: 'packages',
  settings: 'settings.json',
  /** Chromium's own files. */
  window: '.window',
} as const
