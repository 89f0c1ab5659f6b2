export const strings = {
  product: 'Coffer',
  title: (name: string) => (name === 'default' ? 'Unlock your vault' : `Unlock ${name}`),
  choose: 'Vault',
} as const
