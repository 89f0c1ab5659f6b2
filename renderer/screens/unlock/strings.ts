export const strings = {
  title: (name: string) => `Unlock ${name}`,
  choose: 'Vault',
} as const
