/** The sections of the settings, in display order. */
export const sections = {
  listener: 'Listener',
  destinations: 'Destinations',
  reactors: 'Reactors',
  window: 'Appearance and locking',
  vaults: 'Vaults',
  keys: 'Keys and rotation',
  backups: 'Backups',
  transfer: 'Import and export',
  tenant: 'Tenant',
  members: 'Members',
  banks: 'Bank directory',
  bins: 'Card BINs',
  faults: 'Faults',
} as const
export type SectionName = keyof typeof sections
export const sectionNames = Object.keys(sections) as SectionName[]
