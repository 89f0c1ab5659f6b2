/** The sections of the settings in their groups, in display order. */
const groups = {
  Vault: {
    vaults: 'Vaults',
    keys: 'Keys and rotation',
    backups: 'Backups',
    transfer: 'Import and export',
    tenant: 'Tenant',
    members: 'Members',
    window: 'Appearance and locking',
  },
  Network: { listener: 'Listener', destinations: 'Destinations', reactors: 'Reactors' },
  Test: { faults: 'Faults', banks: 'Bank directory', bins: 'Card BINs', comparison: 'Hosted service' },
} as const

export const sections = { ...groups.Vault, ...groups.Network, ...groups.Test } as const
export type SectionName = keyof typeof sections
export const sectionNames = Object.keys(sections) as SectionName[]

type SectionGroup = { readonly label: string; readonly names: readonly SectionName[] }

export const sectionGroups: readonly SectionGroup[] = Object.entries(groups).map(([label, of]) => ({
  label,
  names: sectionNames.filter((name) => name in of),
}))
