export const strings = {
  product: 'Coffer',
  skip: 'Skip to content',
  pinned: 'Pinned',
  navigation: 'Screens',
  lock: 'Lock',
  reload: 'Reload',
  unsaved: {
    typed: { title: () => 'Discard what you typed?', stay: () => 'Keep editing', leave: () => 'Discard' },
    keys: {
      title: (n: number) => (n === 1 ? 'Have you copied this key?' : 'Have you copied these keys?'),
      text: (n: number) =>
        n === 1
          ? 'It is shown only once. Without a copy, you will have to create a new one.'
          : 'They are shown only once. Without a copy, you will have to create new ones.',
      stay: (n: number) => (n === 1 ? 'Back to the key' : 'Back to the keys'),
      leave: (n: number) => (n === 1 ? 'I have copied it' : 'I have what I need'),
    },
  },
  vault: {
    open: (name: string) => `Vault ${name}`,
    keychain: 'Protected by the keychain',
    passphrase: 'Protected by a passphrase',
    memory: 'In memory, deleted when Coffer stops',
    lockMemory: 'Lock this in-memory vault?',
    lockMemoryText: 'Locking it deletes everything in it.',
    lockMemoryAction: 'Lock and delete',
    others: 'Other vaults',
    create: 'New vault…',
    settings: 'Vault settings',
    steps: 'First steps',
  },
  noScreen:
    'This screen could not be loaded because Coffer did not respond. It opens when Coffer responds again.',
  viewAs: {
    label: 'Viewing as',
    owner: 'Owner',
    ownerHelp: 'Everything, masked until revealed',
    none: 'No applications yet',
    banner: (name: string) => `Viewing as ${name}`,
    deleted: (name: string) => `${name} no longer exists. You are viewing as the owner again.`,
    stop: 'Return to owner view',
    loading: 'Loading applications…',
  },
  palette: 'Search or run a command',
  clock: {
    menu: 'Move the vault’s clock',
    moved: (lead: string) => `Clock ${lead}`,
    now: (time: string) => `The vault’s time: ${time}`,
    waiting: 'Expired data is not deleted until you confirm the date.',
    right: 'The date is right',
    wrong: 'The date is wrong',
    setIt: 'Correct this computer’s date. Expired data is not deleted until you do.',
  },
} as const
